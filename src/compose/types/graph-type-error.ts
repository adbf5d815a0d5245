declare const problem: unique symbol;

/** A compile-time error with a message. No value has this type at run time. */
export interface GraphTypeError<Message extends string> {
  readonly [problem]: Message;
}
