import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { ValueOfEntry } from "./joined.js";
import type { CheckedMembers } from "./node-key.js";
import type { NodeLike } from "./node-like.js";
import type { WithOptions } from "./node-map.js";
import type { NodeOptions } from "./node-options.js";
import type { Keyed, NodeShape, SameAsInput } from "./node-shape.js";
import type { AllCases, CaseNames, Selected, SurplusCase } from "./switch.js";

/** The input of a step: the whole value, or the field of its input key. @internal */
export type FieldOf<Value, Key> = [Key] extends [undefined] ? Value : [Key] extends [keyof Value] ? Value[Key] : Value;

/** The fields that an input key may name: those that are always there, because a missing one is an error. */
export type InputField<Value> = string extends keyof Value
  ? string
  : { [Field in keyof Value & string]-?: Record<never, never> extends Pick<Value, Field> ? never : Field }[keyof Value &
      string];

/** The value after a step. After a passthrough it is the value before it. @internal */
export type After<Before, Out, Inner, OutputKey> = [Inner] extends [SameAsInput]
  ? Keyed<Before, OutputKey>
  : Keyed<Out, OutputKey>;

/** The options of a step: those of a node, and its key. @internal */
export interface StepOptions<In, Out, State, InputKey, OutputKey, Key, Options = object, Concat = DeclaredConcat>
  extends Omit<
    NodeOptions<In, Keyed<Out, OutputKey>, State, undefined, undefined, Options, Concat>,
    "inputKey" | "outputKey"
  > {
  /** The key of the node, for paths and addresses. @default "node_0", "node_1" … by position */
  readonly key?: Key | undefined;
  /** The node gets this field of its input instead of the whole. */
  readonly inputKey?: InputKey | undefined;
  /** The output becomes a record with this one field. */
  readonly outputKey?: OutputKey | undefined;
}

/** The options of a member of a parallel step. Its output gets the key of the member. */
interface MemberOptions<In, Out, State, InputKey> extends Omit<NodeOptions<In, Out, State>, "inputKey" | "outputKey"> {
  /** The member gets this field of its input instead of the whole. */
  readonly inputKey?: InputKey | undefined;
}

/** A member of a parallel step or of a branch: a node, or `{ node, options }`. @internal */
type Member<In, Out, State, InputKey> =
  | NodeLike<In, Out, State, unknown>
  | WithOptions<
      NodeLike<FieldOf<In, InputKey>, Out, State, unknown>,
      MemberOptions<In, Out, State, unknown extends InputKey ? InputField<In> : InputKey & InputField<In>>
    >;

/**
 * The members of a step. The output and the input key of each are inferred; they are in separate records, so that both can be inferred
 * from one literal.
 */
export type Members<In, Outs, InputKeys, State> = {
  readonly [Key in keyof Outs]: Member<In, Outs[Key], State, Key extends keyof InputKeys ? InputKeys[Key] : undefined>;
} & { readonly [Key in keyof InputKeys]: { readonly options?: { readonly inputKey?: InputKeys[Key] } } | object };

/**
 * Intersected with the members of a step to infer how the chunks of each are joined, and its node, which shows whether there are
 * chunks. They are in separate records, so that all can be inferred from one literal.
 */
export type Joins<Concats, Inside> = {
  readonly [Key in keyof Concats]: { readonly options?: { readonly concat?: Concats[Key] } } | object;
} & { readonly [Key in keyof Inside]: { readonly node: Inside[Key] } | object };

/** The outputs of the members, with chunks joined. @internal */
export type JoinedOuts<Outs, Concats, Inside> = {
  [Key in keyof Outs]: Key extends keyof Concats & keyof Inside
    ? [Concats[Key]] extends [DeclaredConcat]
      ? ValueOfEntry<Inside[Key], Outs[Key], Concats[Key]>
      : Outs[Key]
    : Outs[Key];
};

/** The members of a switch: each gets the members of the union that its value selects. */
export type SwitchMembers<In, Field extends string, Outs, InputKeys, State> = {
  readonly [Key in keyof Outs]: Member<
    Selected<In, Field, Key>,
    Outs[Key],
    State,
    Key extends keyof InputKeys ? InputKeys[Key] : undefined
  >;
} & { readonly [Key in keyof InputKeys]: { readonly options?: { readonly inputKey?: InputKeys[Key] } } | object };

/** One member for each value of the field, and no other. */
export type CheckedSwitch<In, Field extends string, Outs> = CheckedMembers<Outs> & {
  readonly [Name in keyof Outs & string]: Name extends CaseNames<In, Field>
    ? unknown
    : GraphTypeError<SurplusCase<Field, Name>>;
} & (unknown extends Outs // not inferred yet
    ? { readonly [Name in CaseNames<In, Field>]?: unknown }
    : AllCases<CaseNames<In, Field>, keyof Outs, "member">);

/** The nodes to which a chain gives keys by position. @internal */
export type NumberedNodes = Readonly<Record<`node_${string}`, NodeShape<never, unknown>>>;

/** The nodes of a chain, with one more if the step was given a key. @internal */
export type WithStep<Nodes, Key extends string, Inner, Options = object> = [Key] extends [never]
  ? Nodes
  : Nodes & Readonly<Record<Key, NodeShape<never, unknown, Inner, Options>>>;

/** Further requirements for the members of a branch: valid keys, and a member for every possible choice. */
export type BranchMembers<Chosen extends string, Outs> = CheckedMembers<Outs> & Readonly<Record<Chosen, unknown>>;
