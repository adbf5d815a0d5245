declare const problem: unique symbol;

/** Stands where a builder cannot go on; its message says what is missing. Nothing has this type at run time. */
export interface GraphTypeError<Message extends string> {
  readonly [problem]: Message;
}
