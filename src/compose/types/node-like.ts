import type { NodeContext } from "../../components/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { Runnable } from "../runnable.js";
import type { HasInner } from "./node-shape.js";

/**
 * What may be a node: a plain function, a Runnable, a builder, or a component. A function that gives an async iterable (an
 * async generator function, for one) is a streaming function; `Out` is then the type of its chunks.
 */
export type NodeLike<In, Out, State = undefined, Inner = undefined> =
  | FunctionNode<In, Out, State>
  | RunnableNode<In, Out, Inner>
  | BuilderNode<In, Out, Inner>
  | ComponentNode<In, Out>;

export type FunctionNode<In, Out, State> = (
  input: In,
  ctx: NodeContext<State>,
) => Out | Promise<Out> | StreamSource<Out>;

export type RunnableNode<In, Out, Inner> = Runnable<In, Out> & HasInner<Inner>;

export declare const builds: unique symbol;

/** A graph or chain that is not compiled: its parent compiles it. The property is a type only. */
export interface BuilderNode<in In, out Out, out Inner> {
  readonly [builds]: Built<In, Out, Inner>;
}

/** What a builder makes, when its own check finds nothing missing. */
export interface Built<in In, out Out, out Inner> {
  readonly take: (input: In) => void;
  readonly out: Out;
  readonly inner: Inner;
}

export type ComponentNode<In, Out> =
  | ModelNode<In, Out>
  | { readonly component: "template"; readonly format: Step<In, Out> }
  | { readonly component: "retriever"; readonly retrieve: Step<In, Out> }
  | { readonly component: "embedder"; readonly embed: Step<In, Out> }
  | { readonly component: "indexer"; readonly store: Step<In, Out> }
  | { readonly component: "loader"; readonly load: Step<In, Out> }
  | { readonly component: "transformer"; readonly transform: Step<In, Out> };

export interface ModelNode<in In, out Out> {
  readonly component: "model";
  readonly generate: Step<In, Out>;
  readonly stream: (messages: never, ctx: never) => unknown;
}

type Step<In, Out> = (input: In, ctx: never) => Promise<Out>;

/** A node that executes the tool calls of a message. */
export type ToolsNode = Runnable<AgenticMessage, AgenticMessage[]> & { readonly component: "tools_node" };
