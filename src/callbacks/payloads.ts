import type { Document } from "../schema/document.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { ComponentKind } from "./run-info.js";

/** What handlers see of a kind of run: its input, its output, and the chunks when the output is streamed. */
export interface Payload<Start, End, Chunk = End> {
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
  readonly tool: Payload<ToolStart, ToolEnd, ToolChunk>;
  readonly model: Payload<ModelStart, ModelEnd>;
  readonly tools_node: Payload<AgenticMessage, readonly AgenticMessage[]>;
  readonly template: Payload<Readonly<Record<string, unknown>>, readonly AgenticMessage[]>;
  readonly retriever: Payload<string, readonly Document[]>;
  readonly embedder: Payload<readonly string[], readonly (readonly number[])[]>;
  readonly indexer: Payload<readonly Document[], readonly string[]>;
  readonly loader: Payload<{ readonly uri: string }, readonly Document[]>;
  readonly transformer: Payload<readonly Document[], readonly Document[]>;
  readonly lambda: Payload<unknown, unknown>;
  readonly graph: Payload<unknown, unknown>;
  readonly chain: Payload<unknown, unknown>;
  readonly workflow: Payload<unknown, unknown>;
}

/** Fails to compile when a kind of run has no payload. */
export type PayloadOf<Kind extends ComponentKind> = ComponentPayloads[Kind];
