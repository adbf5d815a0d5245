import type { AnyFunction } from "../fit.js";

declare const noStep: unique symbol;

/** Marks an invalid path. It is not assignable to anything. */
export interface NoStep<out Step extends string> {
  readonly [noStep]: Step;
}

/** The type at a path: steps are separated by dots, and `*` means every item of an array. */
export type AtPath<Value, Path> = Path extends ""
  ? Value
  : Path extends `${infer Head}.${infer Rest}`
    ? Head extends "*"
      ? Items<Value, Rest>
      : AtPath<Step<Value, Head>, Rest>
    : Path extends "*"
      ? Items<Value, "">
      : Path extends string
        ? Step<Value, Path>
        : never;

/** The types at the rest of the path in each item. What is missing there is `undefined`. */
type Items<Value, Rest> = 0 extends 1 & Value
  ? Value
  : unknown extends Value
    ? unknown
    : NonNullable<Value> extends readonly (infer Item)[]
      ? AtPath<Item, Rest>[] | Extract<Value extends null ? undefined : Value, undefined>
      : NonNullable<Value> extends NoStep<string>
        ? Value
        : NoStep<"*">;

type Step<Value, Head extends string> = [Value, Head] extends [object, keyof Value]
  ? OwnStep<Value, Head>
  : 0 extends 1 & Value
    ? Value
    : unknown extends Value
      ? unknown
      : StepInto<Value, Head, KeysOf<Value>>;

/** The keys of all members of a union that have data of their own. */
type KeysOf<Value> = Value extends readonly unknown[]
  ? number
  : Value extends Opaque
    ? never
    : Value extends object
      ? keyof Value
      : never;

/** A step into `undefined` or `null` yields `undefined`; so does a field that only some members of a union have. */
type StepInto<Value, Head extends string, Keys> = Value extends null | undefined
  ? undefined
  : Value extends NoStep<string>
    ? Value
    : Value extends readonly (infer Item)[]
      ? Head extends `${number}`
        ? Head extends keyof Value
          ? Value[Head]
          : Item | undefined
        : NoStep<Head>
      : [Value, Head] extends [object, keyof Value]
        ? OwnStep<Value, Head>
        : Head extends Keys
          ? undefined
          : NoStep<Head>;

/** Objects without data of their own: their members are on their prototypes. */
type Opaque =
  | AnyFunction
  | Date
  | RegExp
  | ArrayBuffer
  | ArrayBufferView
  | Promise<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

/** A step into what the value has itself: no methods, and a field of a record with any keys may be missing. */
type OwnStep<Value, Head extends string> = 0 extends 1 & Value
  ? Value
  : Value extends Opaque
    ? NoStep<Head>
    : Head extends keyof Value
      ? IsMethod<Value[Head]> extends true
        ? NoStep<Head>
        : Head extends Declared<Value>
          ? Value[Head]
          : Value[Head] | undefined
      : never;

type IsMethod<Field> = 0 extends 1 & Field
  ? false
  : [Field] extends [never]
    ? false
    : [Field] extends [AnyFunction]
      ? true
      : false;

/** The fields that a type names, without those of its index signatures. */
type Declared<Value> = keyof {
  [Field in keyof Value as Record<never, never> extends Record<Field, unknown> ? never : Field]: unknown;
};
