import type { NodeContext } from "../../components/context.js";
import type { AgenticModel, CustomModel } from "../../components/model.js";
import type { AiSdkModel } from "../../models/ai-sdk/provider-model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { Runnable } from "../runnable.js";
import type { HasCallOptions, TakesOptions } from "./call-options.js";
import type { HasInner } from "./node-shape.js";

/**
 * Anything that can be a node: a plain function, a Runnable, a builder, or a component. A function that returns an async iterable,
 * such as an async generator function, streams; `Out` is then the type of its chunks.
 */
export type NodeLike<In, Out, State = undefined, Inner = undefined, Options = unknown, Chunk = Out> =
  | FunctionNode<In, Out, State, Chunk>
  | RunnableNode<In, Out, Inner, Options>
  | BuilderNode<In, Out, Inner>
  | ComponentNode<In, Out, Options>;

/** A plain function as a node. @internal */
export type FunctionNode<In, Out, State, Chunk = Out> = (
  input: In,
  ctx: NodeContext<State>,
) => Out | Promise<Out> | StreamSource<Chunk>;

/** A Runnable as a node. @internal */
export type RunnableNode<In, Out, Inner, Options = unknown> = Runnable<In, Out> &
  HasInner<Inner> &
  HasCallOptions<Options>;

export declare const builds: unique symbol;

/** A graph, chain or workflow that is not compiled: its parent compiles it. The property exists in types only. @internal */
export interface BuilderNode<in In, out Out, out Inner> {
  readonly [builds]: Built<In, Out, Inner>;
}

/** The types of a builder, if its own check finds no errors. @internal */
export interface Built<in In, out Out, out Inner> {
  readonly take: (input: In) => void;
  readonly out: Out;
  readonly inner: Inner;
}

/** A component as a node. @internal */
export type ComponentNode<In, Out, Options = unknown> =
  | ModelNode<In, Out, Options>
  | { readonly component: "template"; readonly format: Step<In, Out, Options> }
  | { readonly component: "retriever"; readonly retrieve: Step<In, Out, Options> }
  | { readonly component: "embedder"; readonly embed: Step<In, Out, Options> }
  | { readonly component: "indexer"; readonly store: Step<In, Out, Options> }
  | { readonly component: "loader"; readonly load: Step<In, Out, Options> }
  | { readonly component: "transformer"; readonly transform: Step<In, Out, Options> };

/** A model as a node. */
export interface ModelNode<in In, out Out, Options = unknown> {
  readonly component: "model";
  readonly generate: Step<In, Out, Options>;
  readonly stream?: ((messages: never, ctx: never) => unknown) | undefined;
}

/** A model that takes this input, also one with only one of its methods, or of a provider package of the AI SDK. @internal */
export type ModelFor<In, Options> =
  | (AgenticModel<Options> & ModelNode<In, AgenticMessage>)
  | ([In] extends [readonly AgenticMessage[]] ? AiSdkModel | CustomModel<Options> : never);

type Step<In, Out, Options> = ((input: In, ctx: never) => Promise<Out>) & TakesOptions<Options>;

/** A node that executes the tool calls of a message. @internal */
export type ToolsNode<In = AgenticMessage> = Runnable<In, AgenticMessage[]> & { readonly component: "tools_node" };
