import type { NodeContext } from "../../components/context.js";
import type { OptionsFor } from "./call-options.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { ValueOfEntry } from "./joined.js";
import type { NodeLike } from "./node-like.js";
import type { NeedsState, NodeOptions, StateHandlers } from "./node-options.js";
import type { Keyed, NodeShape } from "./node-shape.js";

/** A value in a record of nodes: a node, or a node with options. */
export type NodeEntry<In, Out, State, Options, Inner = undefined> =
  | NodeLike<In, Out, State, Inner>
  | WithOptions<NodeLike<In, Out, State, Inner>, Options>;

/** A node with its options, as a value in a record of nodes. */
export interface WithOptions<Node, Options> {
  /** The node. */
  readonly node: Node;
  /** Its options, as `addNode` takes them. */
  readonly options?: Options | undefined;
}

/** Any value in a record of nodes. Annotate the inputs of state handlers in it. @internal */
export type AnyNodeEntry<State> = NodeEntry<never, unknown, State, AnyNodeOptions<State>, unknown>;

/** The options of any node. @internal */
export type AnyNodeOptions<State> = {
  readonly [Name in keyof StateHandlers<never, never, State>]?:
    | NeedsState<State, (given: never, state: State, ctx: NodeContext<State>) => unknown>
    | undefined;
} & Omit<NodeOptions<never, unknown, State, string, string>, keyof StateHandlers<never, never, State> | "merge"> & {
    readonly merge?: ((values: never[], sources: readonly string[]) => unknown) | undefined;
  };

/** The shapes of the nodes of a record. The compiler evaluates each one lazily, when an edge needs it. */
export type ShapesOf<Entries> = { readonly [Key in keyof Entries]: ShapeOf<Entries[Key]> };

/** `infer` yields `unknown` for a node without inner nodes. */
type InnerOf<Inner> = unknown extends Inner ? undefined : Inner;

/** @internal */
type ShapeOf<Entry> =
  Entry extends NodeLike<infer In, infer Out, never, infer Inner, infer Options>
    ? NodeShape<In, Out, InnerOf<Inner>, OptionsFor<Options, InnerOf<Inner>>>
    : Entry extends { readonly node: NodeLike<infer In, infer Out, never, infer Inner, infer Options> }
      ? Entry extends { readonly options: infer Given }
        ? NodeShape<
            Keyed<In, KeyIn<Given, "inputKey">>,
            Keyed<ValueOfEntry<Entry["node"], Out, KeyIn<Given, "concat">>, KeyIn<Given, "outputKey">>,
            InnerOf<Inner>,
            OptionsFor<Options, InnerOf<Inner>>,
            In
          >
        : NodeShape<In, Out, InnerOf<Inner>, OptionsFor<Options, InnerOf<Inner>>>
      : never;

type KeyIn<Options, Name extends string> = Options extends { readonly [N in Name]: infer Key } ? Key : undefined;

/** Intersected with a record of nodes: puts an error at each invalid option. @internal */
export type CheckedOptions<State, Entries> = {
  readonly [Key in keyof Entries]: Entries[Key] extends { readonly node: infer Node; readonly options: infer Given }
    ? { readonly options: OptionsOf<Node, State, Given> }
    : unknown;
};

type OptionsOf<Node, State, Given> =
  Node extends NodeLike<infer In, infer Out, never, infer Inner, infer Options>
    ? CheckedBy<
        NodeOptions<
          In,
          ValueOfEntry<Node, Out, KeyIn<Given, "concat">>,
          State,
          KeyIn<Given, "inputKey">,
          KeyIn<Given, "outputKey">,
          OptionsFor<Options, InnerOf<Inner>>
        >,
        Given
      >
    : unknown;

/** Each option as `addNode` takes it. Some are checked name by name, because an intersection would not detect unknown names. */
type CheckedBy<Wanted, Given> = {
  readonly [Name in keyof Given]: Name extends keyof Wanted
    ? Name extends "options" | "retry" | "cache"
      ? Given[Name] extends AnyFunction
        ? Extract<Wanted[Name], AnyFunction | GraphTypeError<string>>
        : Wanted[Name] & NoneElse<Name, Exclude<Extract<Wanted[Name], object>, AnyFunction>, Given[Name]>
      : Wanted[Name]
    : GraphTypeError<`"${Name & string}" is not an option of a node`>;
};

type AnyFunction = (...args: never) => unknown;

type NoneElse<Place extends string, Wanted, Given> =
  Wanted extends GraphTypeError<string>
    ? unknown
    : [keyof Wanted] extends [never] // accepts anything
      ? unknown
      : Given extends object
        ? {
            readonly [Name in Exclude<
              keyof Given,
              keyof Wanted
            >]: GraphTypeError<`"${Name & string}" is not one of the "${Place}" of this node`>;
          }
        : unknown;
