import type { ToolContext } from "../components/tool.js";
import { isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import type { AgentToolOptions } from "./agent.js";
import { AgentRunCall, type RunnableAgent } from "./run-agent.js";

const promptSchema = {
  type: "object",
  properties: { prompt: { type: "string", description: "What the agent is asked, with all that it needs to know." } },
  required: ["prompt"],
  additionalProperties: false,
} as const;

/** The options of a tool that runs an agent inside the call. */
export function agentTool(
  agent: RunnableAgent,
  {
    id,
    description,
    inputSchema = promptSchema,
    history = "none",
    requireApproval,
  }: AgentToolOptions & { readonly id: string; readonly description: string },
) {
  return {
    id,
    description,
    inputSchema,
    ...(requireApproval !== undefined && { requireApproval }),
    execute: async (input: unknown, ctx: ToolContext): Promise<unknown> => {
      const question = userMessage(questionOf(input));
      const prompt = history === "parent" ? [...conversationOf(ctx), question] : [question];
      const result = await new AgentRunCall(agent).forCall(ctx.toolCallId).generate(prompt, { parent: ctx });
      return agent.parts.output === undefined ? result.text : result.output;
    },
  };
}

function questionOf(input: unknown): string {
  return isFields(input) && Object.keys(input).length === 1 && typeof input.prompt === "string"
    ? input.prompt
    : JSON.stringify(input);
}

/** What was said before the call: not the message that it stands in. */
function conversationOf({ messages }: ToolContext): readonly AgenticMessage[] {
  const last = messages.at(-1);
  const isOpen = last?.role === "assistant" && toolCallsOf(last).length > 0;
  return (isOpen ? messages.slice(0, -1) : messages).filter(({ role }) => role !== "system");
}
