import { toolInputOf } from "../../agents/interrupt-kinds.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall, FunctionToolResult } from "../../schema/message/content-block.js";
import { toolCallsOf, toolResultsOf } from "../../schema/message/read-message.js";
import type { ToolCallChunk, ToolCallPayload, ToolResultChunk } from "./chunk.js";

/** What a tool returned: a string, parts, or the value that the result is the JSON of. */
export function resultValueOf({ result, resultType, content }: FunctionToolResult): unknown {
  if (resultType !== "json") return content ?? result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

/** The result block in a message of a tool call. */
export function resultBlockOf(message: AgenticMessage): FunctionToolResult | undefined {
  return toolResultsOf(message)[0];
}

/** Whether a result is a failure, which has no chunk `tool-result`. */
export function isFailure({ isError, errorKind }: FunctionToolResult): boolean {
  return isError === true || errorKind !== undefined;
}

/** The calls and the results of one step, as chunks. */
export function callsOfStep(
  step: { readonly message: AgenticMessage; readonly results: readonly AgenticMessage[] },
  runId: string,
  isOutput: (name: string) => boolean,
): { readonly toolCalls: readonly ToolCallChunk[]; readonly toolResults: readonly ToolResultChunk[] } {
  const calls = toolCallsOf(step.message).filter(({ name }) => !isOutput(name));
  const payloads = new Map(calls.map((call) => [call.callId, payloadOf(call)]));
  const toolCalls = [...payloads.values()].map(
    (payload): ToolCallChunk => ({ type: "tool-call", runId, from: "AGENT", payload }),
  );
  const toolResults = step.results.flatMap(toolResultsOf).flatMap((block): ToolResultChunk[] => {
    const call = payloads.get(block.callId);
    if (call === undefined || isFailure(block)) return [];
    return [{ type: "tool-result", runId, from: "AGENT", payload: { ...call, result: resultValueOf(block) } }];
  });
  return { toolCalls, toolResults };
}

function payloadOf({ callId, name, arguments: text }: FunctionToolCall): ToolCallPayload {
  return { toolCallId: callId, toolName: name, args: toolInputOf(text) };
}
