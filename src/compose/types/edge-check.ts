import type { PartOf } from "./chunked.js";
import type { Fit, IsRecord, WrongField } from "./fit.js";
import type { NodeShape, SameAsInput } from "./node-shape.js";
import type { TypeName } from "./type-name.js";

/** The output type of a node, or of START. */
export type OutAt<I, Nodes, Fed, Key> = [Key] extends ["start"]
  ? I
  : [Key] extends [keyof Nodes]
    ? Nodes[Key] extends { readonly inner: SameAsInput }
      ? FlowAt<Nodes[Key], Fed, Key>
      : Nodes[Key] extends { readonly out: infer Out }
        ? Out
        : never
    : never;

/** A passthrough without a type of its own has the type of the edges into it so far. */
type FlowAt<Shape, Fed, Key> = [Shape, Key] extends [{ readonly in: infer In; readonly out: infer Out }, keyof Fed]
  ? unknown extends In & Out
    ? Fed[Key & keyof Fed] extends { readonly out: infer Value }
      ? Value
      : Out
    : Out
  : unknown;

/** The input type of a node, or of END. */
export type InAt<O, Nodes, Key> = [Key] extends ["end"]
  ? O
  : [Key] extends [keyof Nodes]
    ? Nodes[Key] extends { readonly in: infer In }
      ? In
      : never
    : never;

/** The target of an edge, or an error sentence. */
export type EdgeTo<Keys, Out, In, From extends string, To extends string> = string extends Keys
  ? To
  : Fit<Out, In> extends "none"
    ? Misfit<Out, In, From, To>
    : To;

type Misfit<Out, In, From extends string, To extends string> = [From, To, WrongField<Out, In>] extends [
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

/**
 * What an edge provides to its target: the whole input, or a part of it. If the target takes anything, as a passthrough does, the
 * output is kept; it is wrapped in a shape, because an intersection of records with two different literals would be `never`.
 */
export type Brought<Out, In> = unknown extends In
  ? NodeShape<unknown, Out>
  : Fit<Out, In> extends "part"
    ? Out & BroughtPart
    : In;

declare const part: unique symbol;

/** Marks an input that is provided in parts. */
interface BroughtPart {
  readonly [part]: true;
}

/** The type of chunks at END if edges provide it in parts; `unknown` if chunks have the type of the output. */
export type ChunkAtEnd<O, Fed> = Fed extends { readonly end: BroughtPart } ? PartOf<O> : unknown;

/** The targets of a branch, each of which must take the whole output; with an error sentence for those that do not. */
export type BranchTo<O, Nodes, Out, From extends string, Target extends string> = [
  MisfitTarget<O, Nodes, Out, Target>,
] extends [never]
  ? Target
  :
      | Exclude<Target, MisfitTarget<O, Nodes, Out, Target>>
      | MisfitBranch<O, Nodes, Out, From, MisfitTarget<O, Nodes, Out, Target>>;

type MisfitTarget<O, Nodes, Out, Target extends string> = {
  [Key in Target]: [Out] extends [InAt<O, Nodes, Key>] ? never : unknown extends Out ? never : Key;
}[Target];

type MisfitBranch<O, Nodes, Out, From extends string, Target extends string> = [From, Target] extends [
  infer Source extends string,
  infer Misfit extends string,
]
  ? `"${Source}" gives ${TypeName<Out>}, "${Misfit}" takes ${TypeName<InAt<O, Nodes, Misfit>>} as a whole`
  : never;

/** What a branch provides: the whole input of each target, because it may choose any of them. */
export type BroughtByBranch<O, Nodes, Out, Target extends string> = {
  readonly [Key in Target]: unknown extends InAt<O, Nodes, Key> ? NodeShape<unknown, Out> : InAt<O, Nodes, Key>;
};
