export type AnyFunction = (...values: never) => unknown;

/** Fields of an object type that hold functions: a class instance has some, a record has none. */
type Methods<Value> = { [Field in keyof Value]-?: Value[Field] extends AnyFunction ? Field : never }[keyof Value];

/** Any object type that is no array, function or class instance with methods; an interface counts. */
export type IsRecord<Value> = [Value] extends [object]
  ? [Value] extends [readonly unknown[] | AnyFunction]
    ? false
    : [Methods<Value>] extends [never]
      ? true
      : false
  : false;

/** The fields that both have, and that do not fit. */
export type WrongField<Out, In> = {
  [Field in keyof Out & keyof In & string]: Out[Field] extends In[Field] ? never : Field;
}[keyof Out & keyof In & string];

type IsPart<Out, In> = [IsRecord<Out>, IsRecord<In>] extends [true, true]
  ? [keyof Out & keyof In] extends [never]
    ? false
    : [WrongField<Out, In>] extends [never]
      ? true
      : false
  : false;

/** How an output goes into an input: as the whole of it, as a part of it (a fan-in of records), or not. */
export type Fit<Out, In> = [Out] extends [In]
  ? "whole"
  : unknown extends Out
    ? "whole"
    : [In] extends [never]
      ? "whole"
      : IsPart<Out, In> extends true
        ? "part"
        : "none";

/** The fields of an input that nothing gives. */
export type Lacks<Given, In> =
  IsRecord<In> extends true
    ? {
        [Field in keyof In & string]-?: Record<never, never> extends Pick<In, Field>
          ? never
          : Field extends keyof Given
            ? never
            : Field;
      }[keyof In & string]
    : "all of its input";
