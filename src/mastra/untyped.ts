/** A value of unknown type that can be assigned to any type, like the result of `JSON.parse`. @internal */
export type Untyped = ReturnType<typeof JSON.parse>;
