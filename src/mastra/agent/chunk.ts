import type { Untyped } from "../untyped.js";
import type { MastraUsage } from "./usage.js";

/** A call of a tool in a chunk. @internal */
export interface ToolCallPayload {
  /** The id of the call. */
  readonly toolCallId: string;
  /** The name of the tool. */
  readonly toolName: string;
  /** The parsed arguments. */
  readonly args: Untyped;
  /** Whether the provider runs the tool itself. */
  readonly providerExecuted?: boolean | undefined;
}

/** A result in a chunk. @internal */
export interface ToolResultPayload extends ToolCallPayload {
  /** What the tool returned. */
  readonly result: Untyped;
}

/** Why a step or a run ended, as Mastra spells it. */
export type MastraFinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "suspended"
  | "aborted"
  | "error"
  | "other"
  | (string & {});

/** How a step, or the run, has ended. */
interface EndPayload {
  readonly stepResult: { readonly reason: MastraFinishReason; readonly isContinued: boolean };
  readonly output: {
    readonly usage: MastraUsage;
    readonly text?: string | undefined;
    readonly toolCalls?: readonly ToolCallPayload[] | undefined;
  };
  readonly metadata: { readonly modelId?: string | undefined; readonly modelProvider?: string | undefined };
}

/** What is asked about a call. */
interface QuestionPayload extends ToolCallPayload {
  /** The JSON Schema of the answer, as text. */
  readonly resumeSchema?: string | undefined;
}

/** @internal */
interface Payloads {
  readonly start: { readonly id: string; readonly threadId?: string | undefined };
  readonly "step-start": { readonly request: object; readonly warnings: readonly unknown[] };
  readonly "text-start": { readonly id: string };
  readonly "text-delta": { readonly id: string; readonly text: string };
  readonly "text-end": { readonly id: string };
  readonly "reasoning-start": { readonly id: string };
  readonly "reasoning-delta": { readonly id: string; readonly text: string };
  readonly "reasoning-end": { readonly id: string };
  readonly file: { readonly data: string; readonly base64?: string | undefined; readonly mimeType: string };
  readonly "tool-call-input-streaming-start": Omit<ToolCallPayload, "args">;
  readonly "tool-call-delta": Omit<ToolCallPayload, "args"> & { readonly argsTextDelta: string };
  readonly "tool-call-input-streaming-end": { readonly toolCallId: string };
  readonly "tool-call": ToolCallPayload;
  readonly "tool-output": Omit<ToolCallPayload, "args"> & { readonly output: Untyped };
  readonly "tool-result": ToolResultPayload;
  readonly "tool-error": ToolCallPayload & { readonly error: Error };
  readonly "tool-output-denied": ToolCallPayload & {
    readonly approval: { readonly id: string; readonly approved: false; readonly reason: string };
  };
  readonly "tool-call-approval": QuestionPayload;
  readonly "tool-call-suspended": QuestionPayload & { readonly suspendPayload: Untyped };
  readonly "step-finish": EndPayload;
  readonly finish: EndPayload;
  readonly error: { readonly error: Error };
  readonly abort: Readonly<Record<string, never>>;
  readonly "object-result": Readonly<Record<string, never>>;
  readonly [data: `data-${string}`]: Untyped;
}

/** @internal */
interface ChunkOf<Type, Payload> {
  /**
   * The kind of chunk. An event of this package for which Mastra has no chunk is `data-` and the type of the event.
   */
  readonly type: Type;
  /** The id of the run. */
  readonly runId: string;
  /** `"USER"` for values that a tool wrote with its `writer`. */
  readonly from: "AGENT" | "USER";
  /** The details, which depend on `type`. */
  readonly payload: Payload;
  /** The value of the output schema, in a chunk `object-result`. */
  readonly object?: Untyped;
}

/** A piece of the stream of an agent, in the form of Mastra. */
export type MastraChunk = { [Type in keyof Payloads]: ChunkOf<Type, Payloads[Type]> }[keyof Payloads];

/** A tool call of a result. */
export type ToolCallChunk = ChunkOf<"tool-call", ToolCallPayload>;

/** The result of a tool call that succeeded. */
export type ToolResultChunk = ChunkOf<"tool-result", ToolResultPayload>;

/** A chunk with its place. */
export function chunkOf<Type extends keyof Payloads>(
  runId: string,
  type: Type,
  payload: Payloads[Type],
  from: MastraChunk["from"] = "AGENT",
): MastraChunk {
  return { type, runId, from, payload } as MastraChunk;
}

/** A reason as Mastra spells it. What ends with calls that no model has answered has the reason `tool-calls`. */
export function mastraReason(reason: string): MastraFinishReason {
  if (reason === "waiting") return "suspended";
  if (reason === "returned" || reason === "stop_when" || reason === "max_steps") return "tool-calls";
  return reason.replaceAll("_", "-");
}
