import { KumikoError } from "../../errors.js";
import type { AgenticMessage } from "./agentic-message.js";
import type { ContentBlock, FunctionToolCall, FunctionToolResult, ToolResultContent } from "./content-block.js";

/**
 * The joined text of a message of any role. Reasoning and tool results are not included.
 *
 * @example
 * console.log(textOf(assistantMessage("Hello")));
 */
export function textOf(message: AgenticMessage): string {
  let text = "";
  for (const block of blocksOf(message)) {
    if (block.type === "assistant_gen_text" || block.type === "user_input_text") text += block.text;
  }
  return text;
}

/** The joined reasoning of a message. */
export function reasoningOf(message: AgenticMessage): string {
  let text = "";
  for (const block of blocksOf(message)) if (block.type === "reasoning") text += block.text;
  return text;
}

/**
 * The calls of your tools in a message, in order.
 *
 * @example
 * const message = assistantMessage([functionToolCall({ callId: "1", name: "now", arguments: "{}" })]);
 * for (const call of toolCallsOf(message)) console.log(call.name, JSON.parse(call.arguments));
 */
export function toolCallsOf(message: AgenticMessage): FunctionToolCall[] {
  return blocksOf(message).filter((block) => block.type === "function_tool_call");
}

/** Whether a message calls one of your tools. */
export function hasToolCalls(message: AgenticMessage): boolean {
  return blocksOf(message).some((block) => block.type === "function_tool_call");
}

/**
 * The results of tool calls in a message, in order. A tools node returns one message per call.
 *
 * @example
 * const messages = [userMessage([functionToolResult({ callId: "1", name: "now", result: "12:00" })])];
 * const results = messages.flatMap(toolResultsOf);
 */
export function toolResultsOf(message: AgenticMessage): FunctionToolResult[] {
  return blocksOf(message).filter((block) => block.type === "function_tool_result");
}

/** The blocks of a message. Throws if it is not a message, but a message of another library, or a list. */
export function blocksOf(message: AgenticMessage): readonly ContentBlock[] {
  if (Array.isArray(message?.contentBlocks)) return message.contentBlocks;
  throw new KumikoError("INVALID_MESSAGE", notMessage);
}

// (A fixed text: programs that only read messages stay small.)
const notMessage =
  "This is not a message: it has no list of contentBlocks. Pass one message, not a list, and not one in the format of another " +
  "library (with content or parts). Make messages with userMessage, assistantMessage or systemMessage.";

/** The joined text parts of a tool result. */
export function textOfContent(content: readonly ToolResultContent[]): string {
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}
