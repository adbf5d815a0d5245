import type { Document } from "../schema/document.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { ComponentKind } from "./run-info.js";

/** What handlers see of a kind of run: its input, its output, and the chunks when the output is streamed. */
export interface ComponentPayload<Start, End, Chunk = End> {
  readonly start: Start;
  readonly end: End;
  readonly chunk: Chunk;
}

export interface ModelStart {
  readonly messages: readonly AgenticMessage[];
  /** The merged call options of this call. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ModelEnd {
  readonly message: AgenticMessage;
}

export interface ToolStart {
  /** The JSON text as the model wrote it, after aliases and the argument handler. */
  readonly arguments: string;
}

export interface ToolEnd {
  /** The text that the model reads, or the parts of a multimodal result. */
  readonly result: string | readonly ToolResultContent[];
}

export interface ToolChunk {
  readonly result: string;
}

/** What handlers see, by kind of run. */
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

/** Fails to compile when a kind of run has no payload. */
export type PayloadOf<Kind extends ComponentKind> = ComponentPayloads[Kind];
