declare const problem: unique symbol;

/** A compile-time error with a message. No value has this type at run time. */
export interface GraphTypeError<Message extends string> {
  readonly [problem]: Message;
}

/** `Then`, or the sentence of a problem. The compiler infers from `Then` alone, and words no problem that there is not. */
export type Unless<Problem, Then> = [Problem] extends [infer Known] ? ([Known] extends [never] ? Then : Known) : never;
