import type { FailureAt } from "../error-branch.js";
import type { CoveredFork, FollowedBy, Fork, ForksTo, Gaps } from "./controls.js";
import type { AtPath, NoStep } from "./path.js";
import type { AnySource, FailureKey, Told } from "./sources.js";

/** The context of a mapping. @internal */
export interface Around<I, Nodes, Maybe, Forks, Key, Controls> {
  readonly input: I;
  readonly nodes: Nodes;
  readonly maybe: Maybe;
  readonly forks: Forks;
  readonly key: Key;
  readonly controls: Controls;
  /** The nodes that may have been skipped. */
  readonly gaps: Gaps<Nodes, Maybe, Controls>;
}

/** Any context of a mapping. */
export interface AnyAround {
  readonly input: unknown;
  readonly nodes: unknown;
  readonly maybe: unknown;
  readonly forks: unknown;
  readonly key: unknown;
  readonly controls: unknown;
  readonly gaps: unknown;
}

/** The type of the input that a mapping produces. @internal */
export type ResolvedInput<At extends AnyAround, M> = string extends keyof M
  ? unknown
  : M extends AnySource
    ? ResolveSource<At, Told<M>>
    : { readonly [Field in keyof M]: ResolvedInput<At, M[Field]> };

/** The type of the value of a source. */
export type ResolveSource<At extends AnyAround, Said> = Said extends {
  readonly from: infer Key;
  readonly path: infer Path;
}
  ? Settled<AtPath<WholeOf<At, Key>, Path>, Key extends At["gaps"] ? undefined : never, Said>
  : Said extends { readonly value: infer T }
    ? T
    : Said extends { readonly computed: infer Key; readonly made: infer Made }
      ? Made | (Key extends At["gaps"] ? undefined : never)
      : Said extends { readonly first: infer Froms extends readonly unknown[] }
        ? First<At, Told<Froms[number]>>
        : Said extends { readonly failed: infer Key extends string; readonly path: infer Path }
          ? AtPath<FailureAt<At["nodes"], Key>, Path> | (FailureKey<Key> extends At["gaps"] ? undefined : never)
          : unknown;

/** Applies the options `default` and `required`. */
type Settled<Found, Gap, Said> = Said extends { readonly default: never; readonly required: false }
  ? Found | Gap
  : Said extends { readonly default: infer Default; readonly required: infer Required }
    ? [Default] extends [never]
      ? Required extends true
        ? Exclude<Found, undefined>
        : Found | Gap
      : Exclude<Found, undefined> | Default
    : never;

/** The output of a node; for a target of a switch, only the members that lead to it. */
export type WholeOf<At extends AnyAround, Key> = [At["forks"]] extends [never]
  ? OutOf<At["input"], At["nodes"], Key>
  : [ForksTo<At["forks"], At["key"]>] extends [Key]
    ? CaseOf<At["forks"], At["key"], Key> extends infer Case
      ? [Case] extends [never]
        ? OutOf<At["input"], At["nodes"], Key>
        : Case
      : never
    : OutOf<At["input"], At["nodes"], Key>;

type OutOf<I, Nodes, Key> = Key extends keyof Nodes
  ? Nodes[Key] extends { readonly out: infer Out }
    ? Out
    : never
  : Key extends "start"
    ? I
    : NoStep<"">;

type CaseOf<Forks, Key, Source> =
  Forks extends Fork<infer From, string, boolean, infer Cases>
    ? [From] extends [Source]
      ? Key extends keyof Cases
        ? Cases[Key]
        : never
      : never
    : never;

type First<At extends AnyAround, Said> = [AlwaysThere<At, Said>] extends [never]
  ? [CoveredFork<At["forks"], At["maybe"], KeyOf<Said> | FollowedBy<At["nodes"], At["maybe"], KeyOf<Said>>>] extends [
      never,
    ]
    ? EachOf<At, Said> | undefined
    : [OwnGap<At, Said>] extends [never]
      ? EachOf<At, Said>
      : EachOf<At, Said> | undefined
  : EachOf<At, Said>;

type KeyOf<Said> = Said extends { readonly from: infer Key } ? Key : never;

/** The sources that are never missing. */
type AlwaysThere<At extends AnyAround, Said> = Said extends unknown
  ? undefined extends ResolveSource<At, Said>
    ? never
    : Said
  : never;

type EachOf<At extends AnyAround, Said> = Said extends unknown ? Exclude<ResolveSource<At, Said>, undefined> : never;

/** The sources whose data may be missing even if their nodes have run. */
type OwnGap<At extends AnyAround, Said> = Said extends { readonly from: infer Key; readonly path: infer Path }
  ? undefined extends AtPath<WholeOf<At, Key>, Path>
    ? Said
    : never
  : never;
