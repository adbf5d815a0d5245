import type { ToolOutput } from "../../components/tool.js";
import { isObject } from "../../is.js";
import { jsonCopy } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { appendedContent } from "../../schema/message/concat-field.js";
import type { FunctionToolResult } from "../../schema/message/content-block.js";
import { textOfContent } from "../../schema/message/read-message.js";
import type { ToolError } from "../define/errors.js";
import type { ToolsNodeSettings } from "./node-settings.js";

/** The call that a result belongs to. */
export interface Answered {
  readonly callId: string;
  /** The tool's name as the model called it. */
  readonly name: string;
  readonly index: number;
}

/** The block of a tool's output, or of a piece of it. `isJson`: the output is JSON of a value that was not a string. */
export function resultBlock({ callId, name }: Answered, output: ToolOutput, isJson: boolean): FunctionToolResult {
  if (typeof output !== "string") {
    return { type: "function_tool_result", callId, name, result: textOfContent(output), content: output };
  }
  return isJson
    ? { type: "function_tool_result", callId, name, result: output, resultType: "json" }
    : { type: "function_tool_result", callId, name, result: output };
}

/** The block of a failed call, after the pieces that came before. */
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
    ...outputOf(error),
  };
}

interface Formatting {
  readonly owner: { readonly settings: Pick<ToolsNodeSettings, "formatError"> };
}

/** What the model reads of an error. */
export function errorText({ owner }: Formatting, error: ToolError): string {
  try {
    return String(owner.settings.formatError?.(error) ?? error.message);
  } catch {
    return error.message;
  }
}

/** The value that did not fit, as JSON: messages are. */
function outputOf({ kind, output }: ToolError): Pick<FunctionToolResult, "extra"> {
  const value = kind === "output_validation" ? jsonCopy(output) : undefined;
  return value === undefined ? {} : { extra: { output: value } };
}

/** The whole result of a call as a message, equal to the concatenated chunks of its pieces. */
export function resultMessage(call: Answered, pieces: readonly FunctionToolResult[]): AgenticMessage {
  if (pieces.length === 1) return { role: "user", contentBlocks: pieces };
  const text = pieces.map(({ result }) => result).join("");
  const block: FunctionToolResult = Object.assign(resultBlock(call, "", false), ...pieces, { result: text });
  const contents = pieces.flatMap(({ content }) => (content === undefined ? [] : [content]));
  if (contents.length === 0) return { role: "user", contentBlocks: [block] };
  const content = appendedContent(contents, { field: "content", type: block.type, index: call.index });
  return { role: "user", contentBlocks: [{ ...block, content }] };
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

/** The saved part of a call that ran: its result, or an output that failed validation. */
export type KeptResult = { readonly pieces: readonly FunctionToolResult[] } | { readonly output: unknown };

export function isKeptResult(kept: unknown): kept is KeptResult {
  if (!isObject(kept)) return false;
  return "output" in kept || ("pieces" in kept && Array.isArray(kept.pieces) && kept.pieces.every(isResultBlock));
}

function isResultBlock(piece: unknown): boolean {
  return isObject(piece) && "type" in piece && piece.type === "function_tool_result";
}
