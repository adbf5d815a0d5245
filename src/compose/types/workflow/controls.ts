import type { AnyCallOptions, OptionsFor } from "../call-options.js";
import type { NodeShape } from "../node-shape.js";
import type { AnySource, FailureKey, Mapping, ReasonsIn } from "./sources.js";

/**
 * A branch: its source, its targets, whether it always chooses exactly one of them (`"always"` if that does not depend on its source
 * having run), and what each target of a switch gets.
 */
export interface Fork<
  out Source extends string,
  out Targets extends string,
  out One extends boolean | "always",
  out Cases = unknown,
> {
  /** The node that the branch follows. */
  readonly source: Source;
  /** The nodes that it can choose. */
  readonly targets: Targets;
  /** Whether it chooses exactly one of them. */
  readonly one: One;
  /** The cases of a switch. */
  readonly cases: Cases;
}

export type AnyFork = Fork<string, string, boolean | "always">;

/**
 * The error branch of a node, as two forks: either the node or one of the targets runs to its end; and the node either runs to its end
 * or fails.
 *
 * @internal
 */
export type ErrorFork<Maybe, From extends string, Target extends string> =
  | Fork<FailureKey<From>, From | Target, AlwaysOne<Maybe, From, Target>>
  | Fork<FailureKey<From>, From | FailureKey<From>, AlwaysOne<Maybe, From, never>>;

/** Not always one: with END as a target nothing runs, and a node that may be skipped may neither succeed nor fail. */
type AlwaysOne<Maybe, From, Target> = From extends Maybe ? false : "end" extends Target ? false : "always";

/** A node of a workflow. `implies` are the nodes without which it cannot run. */
export interface WiredShape<In, Out, Inner, Options, Implies extends string, Follows = never>
  extends NodeShape<In, Out, Inner, Options> {
  /** The nodes without which this one cannot run. */
  readonly implies: Implies;
  /** The nodes that it always follows, if it may be skipped. */
  readonly follows: Follows;
}

/** A function that takes `In` and gives `Out`, and runs only behind the nodes that it implies. */
export interface Wired<In, Out, Implies extends string> extends WiredShape<In, Out, undefined, object, Implies> {}

/** The part of a workflow's type that `addNode` adds. @internal */
export type WiredNode<Key extends string, In, Out, Inner, Options, Implies extends string, Follows> = [
  Inner,
  Options,
  Follows,
] extends [undefined, AnyCallOptions, never]
  ? Record<Key, Wired<In, Out, Implies>>
  : Record<Key, WiredShape<In, Out, Inner, OptionsFor<Options, Inner>, Implies, Follows>>;

/** The nodes that a node always follows: those that decide whether it runs, unless that is a branch, and the ones that they follow. @internal */
export type FollowsOf<Nodes, Maybe, Forks, Key, Controls> = [Maybe] extends [never]
  ? never
  : [ForksTo<Forks, Key>] extends [never]
    ? Controls | FollowedBy<Nodes, Maybe, Controls>
    : never;

/** The nodes that certainly lead to one of these. One with an error branch may fail, whatever it follows. */
export type FollowedBy<Nodes, Maybe, Keys> = Keys extends keyof Nodes & string
  ? FailureKey<Keys> extends Maybe
    ? never
    : Nodes[Keys] extends { readonly follows: infer Follows }
      ? Follows
      : never
  : never;

/** The nodes that a mapping reads as a reason to run, not with `dataOnly`. @internal */
export type ReasonsOf<M> = [Mapping] extends [M] ? never : ReasonsBelow<M>;

type ReasonsBelow<M> = string extends keyof M
  ? never
  : M extends AnySource
    ? ReasonsIn<M>
    : M extends undefined
      ? never
      : { [Field in keyof M]: M[Field] extends AnySource ? ReasonsIn<M[Field]> : ReasonsBelow<M[Field]> }[keyof M];

/** The sources of the branches that lead to a node. */
export type ForksTo<Forks, Key> =
  Forks extends Fork<infer Source, infer Targets, boolean | "always"> ? (Key extends Targets ? Source : never) : never;

/** The nodes that decide whether a node runs: its branches; otherwise the nodes it reads and runs after, without those that others imply. @internal */
export type ControlsOf<Nodes, Forks, Key, Reasons> = [ForksTo<Forks, Key>] extends [never]
  ? WithoutImplied<Nodes, Exclude<Reasons, "start">>
  : ForksTo<Forks, Key>;

type WithoutImplied<Nodes, Reasons> = string extends Reasons
  ? never
  : IsOne<Reasons> extends true
    ? Reasons
    : Exclude<Reasons, ImpliedBy<Nodes, Reasons>>;

/** The nodes without which one of these cannot run, or fail. */
export type ImpliedBy<Nodes, Keys> = Keys extends keyof Nodes
  ? Nodes[Keys] extends { readonly implies: infer Implies }
    ? Implies
    : never
  : Keys extends FailureKey<infer Failed>
    ? Failed extends keyof Nodes
      ? ImpliedBy<Nodes, Failed>
      : never
    : never;

/** The nodes that must have run, whichever of these controls has. @internal */
export type ImpliedByAll<Nodes, Controls> =
  IsOne<Controls> extends true
    ? Exclude<Controls | ImpliedBy<Nodes, Controls>, "start">
    : CommonTo<Nodes, Controls, ImpliedBy<Nodes, Controls>>;

type IsOne<Union, Each = Union> = [Union] extends [never]
  ? true
  : Each extends unknown
    ? [Union] extends [Each]
      ? true
      : false
    : never;

type CommonTo<Nodes, Controls, Candidate> = Candidate extends string
  ? [WithoutIt<Nodes, Controls, Candidate>] extends [never]
    ? Candidate
    : never
  : never;

/** The controls that may have run without a given node. */
export type WithoutIt<Nodes, Controls, Key> = Controls extends Key
  ? never
  : Key extends ImpliedBy<Nodes, Controls>
    ? never
    : Controls;

/** The node itself if it may be skipped. @internal */
export type MaybeSkipped<Forks, Maybe, Key, Controls> = [Forks] extends [never]
  ? never
  : MaybeSkippedBy<Forks, Maybe, Key, Controls>;

type MaybeSkippedBy<Forks, Maybe, Key, Controls> = [ForksTo<Forks, Key>] extends [never]
  ? [Controls] extends [never]
    ? never
    : [Exclude<Controls, Maybe>] extends [never]
      ? [CoveredFork<Forks, Maybe, Controls>] extends [never]
        ? Key
        : never
      : never
  : Key;

/** A branch that certainly runs and always chooses one of these nodes. */
export type CoveredFork<Forks, Maybe, Keys> =
  Forks extends Fork<infer Source, infer Targets, infer One>
    ? One extends false
      ? never
      : [Targets] extends [Keys]
        ? One extends "always"
          ? Source
          : [Source] extends [Maybe]
            ? never
            : Source
        : never
    : never;

/** The nodes that may have been skipped when a node with these controls runs. */
export type Gaps<Nodes, Maybe, Controls> = [Maybe] extends [never]
  ? never
  : [Controls] extends [never]
    ? Maybe
    : GapIn<Nodes, Maybe, Controls>;

type GapIn<Nodes, Maybe, Controls> = Maybe extends string
  ? [WithoutIt<Nodes, Controls, Maybe>] extends [never]
    ? never
    : Maybe
  : never;
