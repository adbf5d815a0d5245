import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ContentBlock } from "../../schema/message/content-block.js";
import { blocksOf } from "../../schema/message/read-message.js";

/** Whether the calls of each message have their results before the model speaks again. Nearly always it holds. */
export function isInOrder(messages: readonly AgenticMessage[], first = 0): boolean {
  const open: string[] = [];
  for (let index = first; index < messages.length; index++) {
    const message = messages[index] as AgenticMessage;
    const { role } = message;
    if (role === "assistant" && open.length > 0) return false;
    for (const block of blocksOf(message)) {
      if (isResult(block)) {
        const position = open.indexOf(block.callId);
        if (role === "assistant" || position === -1) return false;
        const last = open.pop();
        if (last !== undefined && position < open.length) open[position] = last;
      } else if (block.type === "function_tool_call") {
        if (role !== "assistant" || !block.callId || open.includes(block.callId)) return false;
        open.push(block.callId);
      }
    }
  }
  return open.length === 0;
}

/** The result of a call. */
export type ResultBlock = Extract<ContentBlock, { readonly type: "function_tool_result" | "tool_search_result" }>;

export function isResult(block: ContentBlock): block is ResultBlock {
  return block.type === "function_tool_result" || block.type === "tool_search_result";
}
