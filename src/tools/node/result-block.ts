import type { ToolOutput } from "../../components/tool.js";
import { isObject } from "../../is.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { FunctionToolResult } from "../../schema/message/content-block.js";
import { textOfContent } from "../../schema/message/read-message.js";
import type { ToolError } from "../define/errors.js";

/** Which call a result answers. */
export interface Answered {
  readonly callId: string;
  /** As the model called it. */
  readonly name: string;
  readonly index: number;
}

/** What a tool returned, or a piece of it. `isJson`: the output is JSON, made from a value that was not a string. */
export function resultBlock({ callId, name }: Answered, output: ToolOutput, isJson: boolean): FunctionToolResult {
  if (typeof output !== "string") {
    return { type: "function_tool_result", callId, name, result: textOfContent(output), content: output };
  }
  return isJson
    ? { type: "function_tool_result", callId, name, result: output, resultType: "json" }
    : { type: "function_tool_result", callId, name, result: output };
}

/** What a model reads of a failed call, after the pieces that came before. */
export function errorBlock(
  { callId, name }: Answered,
  error: ToolError,
  text: string,
  before: readonly FunctionToolResult[],
): FunctionToolResult {
  const result = before.some((piece) => piece.result !== "") ? `\n${text}` : text;
  return {
    type: "function_tool_result",
    callId,
    name,
    result,
    ...(before.some((piece) => piece.content !== undefined) ? { content: [{ type: "text", text: result }] } : {}),
    isError: true,
    errorKind: error.kind,
    ...(error.kind === "output_validation" ? { extra: { output: encodeJson(error.output) } } : {}),
  };
}

/** The whole result of a call, as a message. The same as the concatenation of the chunks that its pieces make. */
export function resultMessage(call: Answered, pieces: readonly FunctionToolResult[]): AgenticMessage {
  if (pieces.length === 1) return { role: "user", contentBlocks: pieces };
  if (pieces.every(isText)) {
    const text = pieces.map(({ result }) => result).join("");
    return { role: "user", contentBlocks: [resultBlock(call, text, false)] };
  }
  return concatMessages(pieces.map((piece) => chunkMessage(call, piece)));
}

function isText({ resultType, content, isError }: FunctionToolResult): boolean {
  return resultType === undefined && content === undefined && isError === undefined;
}

function chunkMessage({ index }: Answered, piece: FunctionToolResult): AgenticMessage {
  return { role: "user", contentBlocks: [{ ...piece, streamingMeta: { index } }] };
}

/** A chunk of the results of `count` calls: only the slot of this call is filled. */
export function resultChunk(call: Answered, piece: FunctionToolResult, count: number): AgenticMessage[] {
  const chunk = new Array<AgenticMessage>(count);
  chunk[call.index] = chunkMessage(call, piece);
  return chunk;
}

/** What is remembered of a call that ran: its result, or an output that was not accepted. */
export type KeptResult = { readonly pieces: readonly FunctionToolResult[] } | { readonly output: unknown };

export function isKeptResult(kept: unknown): kept is KeptResult {
  if (!isObject(kept)) return false;
  return "output" in kept || ("pieces" in kept && Array.isArray(kept.pieces) && kept.pieces.every(isResultBlock));
}

function isResultBlock(piece: unknown): boolean {
  return isObject(piece) && "type" in piece && piece.type === "function_tool_result";
}
