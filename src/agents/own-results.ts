import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { functionToolResult } from "../schema/message/construct-block.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { FunctionToolCall } from "../schema/message/content-block.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import { callNotExecuted } from "../tools/node/errors.js";
import { errorBlock, resultMessage } from "../tools/node/result-block.js";
import type { OngoingTurn } from "./turn.js";

/** The results of calls that no tool runs for. */
export function notExecuted(calls: readonly FunctionToolCall[], why: string): AgenticMessage[] {
  return calls.map(({ callId, name }, index) => {
    const call = { callId, name, toolName: name, index };
    const error = callNotExecuted(call, why);
    return resultMessage(call, [errorBlock(call, error, error.message, [])]);
  });
}

/** The result with which the agent itself answers a call. */
export function ownResult({ callId, name }: FunctionToolCall, result: string): AgenticMessage {
  return userMessage([functionToolResult({ callId, name, result })]);
}

/** The text for the model about an output that does not match. */
export function wrongResult({ callId, name }: FunctionToolCall, text: string): AgenticMessage {
  return userMessage([functionToolResult({ callId, name, result: text, isError: true, errorKind: "validation" })]);
}

/** Emits results that no tool gave. */
export function tellResults(turn: OngoingTurn, results: Iterable<AgenticMessage>): void {
  for (const message of results) {
    for (const { callId, name } of toolResultsOf(message)) turn.emit({ type: "tool_result", callId, name, message });
  }
}
