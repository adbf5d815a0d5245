import type { Document } from "../schema/document.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { ComponentKind } from "./component-kind.js";

/** The values of one kind of run that handlers see: its input, its output, and the chunks of a streamed output. */
export interface ComponentPayload<Start, End, Chunk = End> {
  /** The value of `onStart`. */
  readonly start: Start;
  /** The value of `onEnd`. */
  readonly end: End;
  /** A chunk of the stream of `onEndWithStreamOutput`. */
  readonly chunk: Chunk;
}

/** The input of a model run, for handlers. */
export interface ModelStart {
  /** The messages that the model gets. */
  readonly messages: readonly AgenticMessage[];
  /** The merged call options of this call. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The output of a model run, for handlers. */
export interface ModelEnd {
  /** The message that the model returned. */
  readonly message: AgenticMessage;
}

/** The input of a tool run, for handlers. */
export interface ToolStart {
  /** The JSON text as the model wrote it, after aliases and the argument handler. */
  readonly arguments: string;
}

/** The output of a tool run, for handlers. */
export interface ToolEnd {
  /** The text that the model reads, or the parts of a multimodal result. */
  readonly result: string | readonly ToolResultContent[];
}

/** A chunk of a tool's streamed output, for handlers. */
export interface ToolChunk {
  /** A piece of the text of the result. */
  readonly result: string;
}

/** The values that handlers see, by kind of run. */
export interface ComponentPayloads {
  /** Calls of tools. */
  readonly tool: ComponentPayload<ToolStart, ToolEnd, ToolChunk>;
  /** Calls of models. */
  readonly model: ComponentPayload<ModelStart, ModelEnd>;
  /** Runs of a tools node: the message with the calls, and their results. */
  readonly tools_node: ComponentPayload<AgenticMessage, readonly AgenticMessage[]>;
  /** Templates: the variables, and the messages made of them. */
  readonly template: ComponentPayload<Readonly<Record<string, unknown>>, readonly AgenticMessage[]>;
  /** Retrievers: the query, and the documents found. */
  readonly retriever: ComponentPayload<string, readonly Document[]>;
  /** Embedders: the texts, and a vector for each. */
  readonly embedder: ComponentPayload<readonly string[], readonly (readonly number[])[]>;
  /** Indexers: the documents, and their ids. */
  readonly indexer: ComponentPayload<readonly Document[], readonly string[]>;
  /** Loaders: the source, and the documents read. */
  readonly loader: ComponentPayload<{ readonly uri: string }, readonly Document[]>;
  /** Transformers: documents in, documents out. */
  readonly transformer: ComponentPayload<readonly Document[], readonly Document[]>;
  /** Functions as nodes. */
  readonly lambda: ComponentPayload<unknown, unknown>;
  /** Graphs: their input and output. */
  readonly graph: ComponentPayload<unknown, unknown>;
  /** Chains: their input and output. */
  readonly chain: ComponentPayload<unknown, unknown>;
  /** Workflows: their input and output. */
  readonly workflow: ComponentPayload<unknown, unknown>;
  /** Agents: the prompt, and the last message. */
  readonly agent: ComponentPayload<readonly AgenticMessage[], AgenticMessage>;
}

/** The values of a kind of run. Does not compile if a kind has none. */
export type PayloadOf<Kind extends ComponentKind> = ComponentPayloads[Kind];
