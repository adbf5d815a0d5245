import type { InAt } from "./edge-check.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { Flow } from "./shape.js";
import type { TypeName } from "./type-name.js";

/** The names of the cases of a field: a closed set of strings or booleans, or nothing. @internal */
export type CaseNames<Out, Field> = Field extends keyof Out ? NamesOfValues<Out[Field]> : never;

type NamesOfValues<Value> = [Value] extends [string | boolean] ? (string extends Value ? never : `${Value}`) : never;

/** Any string, in a union with keys that editors offer. @internal */
export type AnyString = string & Record<never, never>;

/** The field of a switch, or an error sentence. @internal */
export type SwitchField<Out, Field extends string, From extends string> = [CaseNames<Out, Field>] extends [never]
  ? Field extends keyof Out
    ? `"${Field}" of ${From} is ${TypeName<Out[Field]>}, and a switch needs a closed set of strings or booleans`
    : `${From} has no field "${Field}" in all its members`
  : Field;

/** The members of a union that one case of a field selects. @internal */
export type Selected<Out, Field, Name> = Out extends unknown
  ? Field extends keyof Out
    ? Name extends `${Out[Field] & (string | boolean)}`
      ? Narrowed<Out, Field, Name>
      : never
    : never
  : never;

/** Narrows a member whose field has several values to the selected one. */
type Narrowed<Member, Field extends keyof Member, Name> = `${Member[Field] & (string | boolean)}` extends Name
  ? Member
  : Member & { readonly [F in Field]: ValueOf<Member[Field], Name> };

type ValueOf<Value, Name> = Value extends string | boolean ? (`${Value}` extends Name ? Value : never) : never;

/**
 * Intersected with the cases of a switch with keys: an error at each that is unknown or does not fit, and for the whole if one is
 * missing. (Missing ones are optional here, so that editors still offer them.)
 */
export type CheckedCases<O, Nodes, Out, Field extends string, From extends string, Cases> = {
  readonly [Name in keyof Cases & string]: Name extends CaseNames<Out, Field>
    ? CheckedTarget<O, Nodes, Selected<Out, Field, Name>, From, Name, Cases[Name]>
    : GraphTypeError<SurplusCase<Field, Name>>;
} & AllCases<CaseNames<Out, Field>, keyof Cases, "target">;

/** An error if a case is missing. @internal */
export type AllCases<Names extends string, Given, What extends string> = [Exclude<Names, Given>] extends [never]
  ? unknown
  : { readonly [Name in Names]?: unknown } & GraphTypeError<`"${Exclude<Names, Given>}" has no ${What}`>;

export type SurplusCase<Field extends string, Name extends string> = `"${Name}" is not a value of "${Field}"`;

/** @internal */
type CheckedTarget<O, Nodes, Out, From extends string, Name extends string, Target> = [Out] extends [
  InAt<O, Nodes, Target>,
]
  ? unknown
  : Target extends string
    ? Target extends keyof Nodes | "end"
      ? GraphTypeError<`${From} gives ${TypeName<Out>} for "${Name}", "${Target}" takes ${TypeName<InAt<O, Nodes, Target>>}`>
      : GraphTypeError<`there is no node "${Target}"`>
    : unknown;

/** The input that a switch provides to each target: its whole input or, if the target takes anything, the selected members. @internal */
export type BroughtBySwitch<O, Nodes, Out, Field, Cases> = BroughtTo<O, Nodes, Out, Field, Cases, Cases[keyof Cases]>;

type BroughtTo<O, Nodes, Out, Field, Cases, Target> = Target extends string
  ? unknown extends InAt<O, Nodes, Target>
    ? Target | Flow<Target, Selected<Out, Field, CasesTo<Cases, Target>>>
    : Target
  : never;

type CasesTo<Cases, Target> = { [Name in keyof Cases]: Cases[Name] extends Target ? Name : never }[keyof Cases];
