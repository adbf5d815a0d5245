import type { AgenticMessage } from "./agentic-message.js";
import { isFunctionToolCall, isFunctionToolResult, isReasoning } from "./block-guard.js";
import type { FunctionToolCall, FunctionToolResult, ToolResultContent } from "./content-block.js";

/**
 * The text of a message: what the user, the system or the model wrote, joined. Reasoning and tool results do not count.
 *
 * @example
 * console.log(textOf(assistantMessage("Hello")));
 */
export function textOf(message: AgenticMessage): string {
  let text = "";
  for (const block of message.contentBlocks) {
    if (block.type === "assistant_gen_text" || block.type === "user_input_text") text += block.text;
  }
  return text;
}

/** What the model thought, joined. */
export function reasoningOf(message: AgenticMessage): string {
  let text = "";
  for (const block of message.contentBlocks) if (isReasoning(block)) text += block.text;
  return text;
}

/**
 * The calls of our functions, in order.
 *
 * @example
 * const message = assistantMessage([functionToolCall({ callId: "1", name: "now", arguments: "{}" })]);
 * for (const call of toolCallsOf(message)) console.log(call.name, JSON.parse(call.arguments));
 */
export function toolCallsOf(message: AgenticMessage): FunctionToolCall[] {
  return message.contentBlocks.filter(isFunctionToolCall);
}

/** Whether the message calls one of our functions. */
export function hasToolCalls(message: AgenticMessage): boolean {
  return message.contentBlocks.some(isFunctionToolCall);
}

/**
 * The results of function calls, in order. A tools node gives one message per call.
 *
 * @example
 * const messages = [userMessage([functionToolResult({ callId: "1", name: "now", result: "12:00" })])];
 * const results = messages.flatMap(toolResultsOf);
 */
export function toolResultsOf(message: AgenticMessage): FunctionToolResult[] {
  return message.contentBlocks.filter(isFunctionToolResult);
}

/** The text among the parts of a tool result, joined. */
export function textOfContent(content: readonly ToolResultContent[]): string {
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}
