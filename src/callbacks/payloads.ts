import type { Document } from "../schema/document.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { ComponentKind } from "./run-info.js";

/** The values of one kind of run that handlers see: its input, its output, and the chunks of a streamed output. */
export interface ComponentPayload<Start, End, Chunk = End> {
  readonly start: Start;
  readonly end: End;
  readonly chunk: Chunk;
}

/** The input of a model run, for handlers. */
export interface ModelStart {
  readonly messages: readonly AgenticMessage[];
  /** The merged call options of this call. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The output of a model run, for handlers. */
export interface ModelEnd {
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
  readonly result: string;
}

/** The values that handlers see, by kind of run. */
export interface ComponentPayloads {
  readonly tool: ComponentPayload<ToolStart, ToolEnd, ToolChunk>;
  readonly model: ComponentPayload<ModelStart, ModelEnd>;
  readonly tools_node: ComponentPayload<AgenticMessage, readonly AgenticMessage[]>;
  readonly template: ComponentPayload<Readonly<Record<string, unknown>>, readonly AgenticMessage[]>;
  readonly retriever: ComponentPayload<string, readonly Document[]>;
  readonly embedder: ComponentPayload<readonly string[], readonly (readonly number[])[]>;
  readonly indexer: ComponentPayload<readonly Document[], readonly string[]>;
  readonly loader: ComponentPayload<{ readonly uri: string }, readonly Document[]>;
  readonly transformer: ComponentPayload<readonly Document[], readonly Document[]>;
  readonly lambda: ComponentPayload<unknown, unknown>;
  readonly graph: ComponentPayload<unknown, unknown>;
  readonly chain: ComponentPayload<unknown, unknown>;
  readonly workflow: ComponentPayload<unknown, unknown>;
  readonly agent: ComponentPayload<readonly AgenticMessage[], AgenticMessage>;
}

/** The values of a kind of run. Does not compile if a kind has none. */
export type PayloadOf<Kind extends ComponentKind> = ComponentPayloads[Kind];
