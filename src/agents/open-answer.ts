import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock, McpToolResult, ServerToolResult } from "../schema/message/content-block.js";

export function asksApproval({ contentBlocks }: AgenticMessage): boolean {
  return contentBlocks.some(({ type }) => type === "mcp_tool_approval_request");
}

/** Whether the provider stopped in the middle of its own work, and wants to be asked again. */
export function isPaused({ responseMeta, contentBlocks }: AgenticMessage): boolean {
  if (responseMeta?.rawFinishReason === "pause_turn") return true;
  if (responseMeta?.finishReason !== "tool_calls") return false;
  const done = new Set(contentBlocks.flatMap((block) => (isServerResult(block) ? [block.callId] : [])));
  return contentBlocks.some(
    (block) => (block.type === "server_tool_call" || block.type === "mcp_tool_call") && !done.has(block.callId),
  );
}

function isServerResult(block: ContentBlock): block is ServerToolResult | McpToolResult {
  return block.type === "server_tool_result" || block.type === "mcp_tool_result";
}
