import type { NodeContext } from "../../components/context.js";
import type { ValueOfEntry } from "./joined.js";
import type { NodeLike } from "./node-like.js";
import type { NeedsState, NodeOptions, StateHandlers } from "./node-options.js";
import type { Keyed, NodeShape } from "./node-shape.js";

/** A node, or a node with its options, as the value of a record of nodes. */
export type NodeEntry<In, Out, State, Options, Inner = undefined> =
  | NodeLike<In, Out, State, Inner>
  | WithOptions<NodeLike<In, Out, State, Inner>, Options>;

export interface WithOptions<Node, Options> {
  readonly node: Node;
  readonly options?: Options | undefined;
}

/** Any entry of a record of nodes: state handlers in it annotate their input. */
export type AnyNodeEntry<State> = NodeEntry<never, unknown, State, AnyNodeOptions<State>, unknown>;

type AnyNodeOptions<State> = {
  readonly [Name in keyof StateHandlers<never, never, State>]?:
    | NeedsState<State, (given: never, state: State, ctx: NodeContext<State>) => unknown>
    | undefined;
} & Omit<NodeOptions<never, unknown, State, string, string>, keyof StateHandlers<never, never, State> | "merge"> & {
    readonly merge?: ((values: never[], sources: readonly string[]) => unknown) | undefined;
  };

/** What the nodes of a record take and give. Worked out for a node when an edge asks for it. */
export type ShapesOf<Entries> = { readonly [Key in keyof Entries]: ShapeOf<Entries[Key]> };

type ShapeOf<Entry> =
  Entry extends NodeLike<infer In, infer Out, never, infer Inner>
    ? NodeShape<In, Out, Inner>
    : Entry extends { readonly node: NodeLike<infer In, infer Out, never, infer Inner> }
      ? Entry extends { readonly options: infer Options }
        ? NodeShape<
            Keyed<In, KeyIn<Options, "inputKey">>,
            Keyed<ValueOfEntry<Entry["node"], Out, KeyIn<Options, "concat">>, KeyIn<Options, "outputKey">>,
            Inner,
            object,
            In
          >
        : NodeShape<In, Out, Inner>
      : never;

type KeyIn<Options, Name extends string> = Options extends { readonly [N in Name]: infer Key } ? Key : undefined;
