import type { NodeLike } from "./node-like.js";
import type { NodeOptions } from "./node-options.js";
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
export type AnyNodeEntry<State> = NodeEntry<never, unknown, State, AnyNodeOptions<State>>;

export type AnyNodeOptions<State> = NodeOptions<never, unknown, State, string | undefined, string | undefined>;

/** What the nodes of a record take and give. Worked out for a node when an edge asks for it. */
export type ShapesOf<Entries> = { readonly [Key in keyof Entries]: ShapeOf<Entries[Key]> };

type ShapeOf<Entry> =
  Entry extends NodeLike<infer In, infer Out, never, infer Inner>
    ? NodeShape<In, Out, Inner>
    : Entry extends { readonly node: NodeLike<infer In, infer Out, never, infer Inner> }
      ? Entry extends { readonly options: infer Options }
        ? NodeShape<Keyed<In, KeyIn<Options, "inputKey">>, Keyed<Out, KeyIn<Options, "outputKey">>, Inner>
        : NodeShape<In, Out, Inner>
      : never;

type KeyIn<Options, Name extends string> = Options extends { readonly [N in Name]: infer Key } ? Key : undefined;
