import type { NodeContext } from "../components/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { mcpToolApprovalResponse } from "../schema/message/construct-block.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { McpToolApprovalRequest } from "../schema/message/content-block.js";

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
} as const;

/** The question of a provider before it runs a tool of an MCP server itself. */
export async function answerApprovals(message: AgenticMessage, ctx: NodeContext): Promise<AgenticMessage[]> {
  const requests = message.contentBlocks.filter((block) => block.type === "mcp_tool_approval_request");
  const answers = await Promise.allSettled(requests.map((request) => askApproval(request, ctx)));
  const blocks = answers.map((answer, index) => {
    if (answer.status === "rejected") throw answer.reason;
    const { approved, reason } = answer.value;
    const approvalRequestId = requests[index]?.id ?? "";
    return mcpToolApprovalResponse({ approvalRequestId, approve: approved, ...(reason !== undefined && { reason }) });
  });
  return [userMessage(blocks)];
}

function askApproval({ id, name, arguments: text, serverLabel }: McpToolApprovalRequest, ctx: NodeContext) {
  const info = { kind: "mcp_approval", id, toolName: name, serverLabel, arguments: text };
  return ctx.ask<{ readonly approved: boolean; readonly reason?: string }>(`mcp_approval:${id}`, info, approvalSchema);
}
