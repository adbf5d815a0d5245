import type { PartOf } from "./chunked.js";
import type { Fit, IsRecord, WrongField } from "./fit.js";
import type { Unless } from "./graph-type-error.js";
import type { SameAsInput } from "./node-shape.js";
import type { Flow, FlowAt, PartsAt } from "./shape.js";
import type { ToIntersection, TypeName } from "./type-name.js";

/** The output type of a node, or of START. @internal */
export type OutAt<I, Nodes, Fed, Key> = [Key] extends ["start"]
  ? I
  : [Key] extends [keyof Nodes]
    ? Nodes[Key] extends { readonly inner: SameAsInput }
      ? FlowThrough<Nodes[Key], Fed, Key>
      : Nodes[Key] extends { readonly out: infer Out }
        ? Out
        : never
    : never;

/** A passthrough without a type of its own has the type of the edges into it so far. */
type FlowThrough<Shape, Fed, Key> = Shape extends { readonly in: infer In; readonly out: infer Out }
  ? unknown extends In & Out
    ? [FlowAt<Fed, Key>] extends [never]
      ? unknown
      : ToIntersection<FlowAt<Fed, Key>>
    : Out
  : unknown;

/** The input type of a node, or of END. @internal */
export type InAt<O, Nodes, Key> = [Key] extends ["end"]
  ? O
  : [Key] extends [keyof Nodes]
    ? Nodes[Key] extends { readonly in: infer In }
      ? In
      : never
    : never;

/** The target of an edge, or an error sentence. @internal */
export type EdgeTo<Keys, Out, In, From extends string, To extends string> = Unless<
  EdgeProblem<Keys, Out, In, From, To>,
  To
>;

type EdgeProblem<Keys, Out, In, From extends string, To extends string> = [Out] extends [In]
  ? never
  : string extends Keys
    ? never
    : Fit<Out, In> extends "none"
      ? Mismatch<Out, In, From, To>
      : never;

type Mismatch<Out, In, From extends string, To extends string> = [From, To, WrongField<Out, In>] extends [
  infer Source extends string,
  infer Target extends string,
  infer Field extends string,
]
  ? `${Subject<Out, In, Field>}"${Source}" gives ${TypeName<Out>}, "${Target}" takes ${TypeName<In>}`
  : never;

/** The field that does not fit, if both sides are records. */
type Subject<Out, In, Field extends string> = [IsRecord<Out>, IsRecord<In>] extends [true, true]
  ? [Field] extends [never]
    ? ""
    : `in "${Field}": `
  : "";

/** The type of chunks at END if edges provide it in parts; `unknown` if chunks have the type of the output. @internal */
export type ChunkAtEnd<O, Fed> = [PartsAt<Fed, "end">] extends [never] ? unknown : PartOf<O>;

/** The targets of a branch, each of which must take the whole output; with an error sentence for those that do not. @internal */
export type BranchTo<O, Nodes, Out, From extends string, Target extends string> = [
  MismatchTarget<O, Nodes, Out, Target>,
] extends [never]
  ? Target
  :
      | Exclude<Target, MismatchTarget<O, Nodes, Out, Target>>
      | MismatchBranch<O, Nodes, Out, From, MismatchTarget<O, Nodes, Out, Target>>;

type MismatchTarget<O, Nodes, Out, Target extends string> = {
  [Key in Target]: [Out] extends [InAt<O, Nodes, Key>] ? never : unknown extends Out ? never : Key;
}[Target];

type MismatchBranch<O, Nodes, Out, From extends string, Target extends string> = [From, Target] extends [
  infer Source extends string,
  infer Mismatch extends string,
]
  ? `"${Source}" gives ${TypeName<Out>}, "${Mismatch}" takes ${TypeName<InAt<O, Nodes, Mismatch>>} as a whole`
  : never;

/** The input that a branch provides: the whole input of each target, because it may choose any of them. @internal */
export type BroughtByBranch<O, Nodes, Out, Target extends string> = Target extends unknown
  ? unknown extends InAt<O, Nodes, Target>
    ? Target | Flow<Target, Out>
    : Target
  : never;
