import type { AnyCallOptions, OptionsFor } from "./call-options.js";
import type { Fit } from "./fit.js";
import type { Keyed, NodeShape } from "./node-shape.js";

/** The keys of the nodes. @internal */
export type KeysOf<Nodes> = keyof Nodes & string;

/** A node that takes `In` and gives `Out`. */
export type TypedNode<Key extends string, In, Out> = Record<Key, NodeShape<In, Out>>;

/** The part of a graph's type that `addNode` adds. Most nodes are functions, and nothing but the types of their values is known. @internal */
export type AddedNode<Key extends string, In, Out, Inner, Options, InputKey, OutputKey> = [
  Inner,
  InputKey,
  OutputKey,
  Options,
] extends [undefined, undefined, undefined, AnyCallOptions]
  ? TypedNode<Key, In, Out>
  : Record<Key, NodeShape<Keyed<In, InputKey>, Keyed<Out, OutputKey>, Inner, OptionsFor<Options, Inner>, In>>;

/** A node whose output is a part of the input of another. */
export interface Part<out Key, out From> {
  /** The field that the output becomes. */
  readonly part: Key;
  /** The node whose output it is. */
  readonly from: From;
}

/** An output that flows into a node that takes anything, as a passthrough does. */
export interface Flow<out Key, out Out> {
  /** The key of the node. */
  readonly flow: Key;
  /** The output of the node. */
  readonly out: Out;
}

/** The input that an edge brings to its target: the key alone stands for the whole input. @internal */
export type Brought<From, Key, Out, In> = unknown extends In
  ? Key | Flow<Key, Out>
  : [Out] extends [In]
    ? Key
    : Fit<Out, In> extends "part"
      ? Part<Key, From>
      : Key;

/** The nodes that bring the input of a node in parts. */
export type PartsAt<Fed, Key> = Fed extends Part<Key, infer From> ? From : never;

/** The input of a node that takes anything. */
export type FlowAt<Fed, Key> = Fed extends Flow<Key, infer Out> ? Out : never;
