export type AnyFunction = (...values: never) => unknown;

/** Fields of an object type that hold functions: a class instance has some, a record has none. */
type Methods<Value> = { [Field in keyof Value]-?: Value[Field] extends AnyFunction ? Field : never }[keyof Value];

/** Whether it is an object type other than an array, a function, or a class instance with methods. Interfaces count. */
export type IsRecord<Value> = [Value] extends [object]
  ? [Value] extends [readonly unknown[] | AnyFunction]
    ? false
    : [Methods<Value>] extends [never]
      ? true
      : false
  : false;

/** The common fields whose types do not fit. */
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

/** How an output fits an input: as a whole, as a part (in a fan-in of records), or not at all. */
export type Fit<Out, In> = [Out] extends [In]
  ? "whole"
  : unknown extends Out
    ? "whole"
    : [In] extends [never]
      ? "whole"
      : IsPart<Out, In> extends true
        ? "part"
        : "none";

/** The required fields of an input that nothing provides for sure. */
export type Lacks<Given, In> =
  IsRecord<In> extends true
    ? {
        [Field in keyof In & string]-?: Record<never, never> extends Pick<In, Field>
          ? never
          : Given extends Record<Field, unknown>
            ? never
            : string extends keyof Given
              ? never
              : Field;
      }[keyof In & string]
    : "all of its input";
