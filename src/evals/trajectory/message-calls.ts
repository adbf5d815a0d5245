import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall, FunctionToolResult } from "../../schema/message/content-block.js";
import { toolCallsOf, toolResultsOf } from "../../schema/message/read-message.js";
import type { Call } from "./call.js";

/** A call of messages, with its id. */
export interface MessageCall {
  readonly id: string;
  readonly call: Call;
}

/** The calls in messages in their order, each with its result: the next one of its id. */
export function callsInMessages(messages: readonly AgenticMessage[]): MessageCall[] {
  const found: { readonly block: FunctionToolCall; results: FunctionToolResult[] }[] = [];
  for (const message of messages) {
    if (message.role === "assistant") for (const block of toolCallsOf(message)) found.push({ block, results: [] });
    else for (const result of toolResultsOf(message)) addResult(found, result);
  }
  return found.map(({ block, results }) => ({ id: block.callId, call: callOf(block, results) }));
}

function addResult(
  found: readonly { readonly block: FunctionToolCall; results: FunctionToolResult[] }[],
  result: FunctionToolResult,
): void {
  const own = found.filter(({ block }) => block.callId === result.callId);
  // a streamed result comes in pieces; a repeated id begins anew
  const target = own.find(({ results }) => results.length === 0) ?? own.at(-1);
  target?.results.push(result);
}

function callOf({ name, arguments: text }: FunctionToolCall, results: readonly FunctionToolResult[]): Call {
  const call = { tool: name, input: inputOf(text) };
  const failed = results.find(({ isError }) => isError === true);
  if (failed !== undefined) return { ...call, error: failed.result };
  const [first] = results;
  return first === undefined ? call : { ...call, output: outputOf(first) };
}

/** Arguments as a value; text that is not JSON stays text, and none are an empty object. */
export function inputOf(text: unknown): unknown {
  if (typeof text !== "string") return text;
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function outputOf({ result, resultType, content }: FunctionToolResult): unknown {
  if (content !== undefined) return content;
  return resultType === "json" ? inputOf(result) : result;
}
