/** A value whose type is not known here, and is yours to say: what JSON gives. */
export type Untyped = ReturnType<typeof JSON.parse>;
