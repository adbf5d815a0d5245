import { checkOptions } from "../../check-options.js";
import type { ToolContext } from "../../components/tool.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { createTool } from "../../tools/define/create-tool.js";
import type { Agent } from "../agent.js";
import { partsOf } from "../agent-parts.js";
import { OngoingRun, type RunnableAgent } from "../agent-run.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { agentWithoutDescription, invalidAgentOption, sameAgentName } from "../errors.js";
import { turnAround } from "../turn.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link subAgents}. */
export interface SubAgentsOptions {
  /** Each needs a unique name and a description. */
  readonly agents: readonly Agent<unknown>[];
  /** How deeply tasks can be nested. @default 1 */
  readonly maxDepth?: number | undefined;
}

/**
 * Adds a tool `task` with which an agent delegates work to other agents. Each task starts with an empty history, and its
 * last answer is the result.
 *
 * @example
 * const researcher = createAgent({ name: "researcher", description: "Finds things out.", model });
 * const boss = createAgent({ model, middleware: [subAgents({ agents: [researcher] })] });
 */
export function subAgents(options: SubAgentsOptions): Middleware {
  checkOptions("subAgents", options, ["agents", "maxDepth"]);
  const { agents, maxDepth = 1 } = options;
  requireCount("subAgents", { maxDepth });
  const byName = agentsByName(agents);
  const list = [...byName].map(([agent, { description }]) => `\n- ${agent}: ${description}`).join("");
  const tool = createTool({
    id: "task",
    description: `Gives a task to another agent, which sees nothing but the prompt, and answers once. Agents:${list}`,
    inputSchema: {
      type: "object",
      properties: {
        agent: { type: "string", enum: [...byName.keys()], description: "Who does it." },
        prompt: { type: "string", description: "The task, with all that is needed for it, and what to answer with." },
      },
      required: ["agent", "prompt"],
      additionalProperties: false,
    },
    execute: (input, ctx) => {
      const { agent, prompt } = input as { readonly agent: string; readonly prompt: string };
      const found = byName.get(agent);
      if (found === undefined) throw new Error(`There is no agent "${agent}".`);
      return runTask(found.agent, prompt, ctx, maxDepth);
    },
  });
  return createMiddleware({ name: "subAgents", tools: [tool as AnyTool] });
}

interface Named {
  readonly agent: RunnableAgent;
  readonly description: string;
}

function agentsByName(agents: readonly Agent<unknown>[]): ReadonlyMap<string, Named> {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw invalidAgentOption("agents of subAgents must be a list of at least one agent.");
  }
  const byName = new Map<string, Named>();
  for (const [index, agent] of agents.entries()) {
    const parts = partsOf(agent);
    if (parts === undefined)
      throw invalidAgentOption(`agents[${index}] of subAgents is not an agent. Make one with createAgent.`);
    const { name, description } = parts;
    if (description === undefined || description === "") throw agentWithoutDescription(name);
    if (byName.has(name)) throw sameAgentName(name);
    byName.set(name, { agent: agent as object as RunnableAgent, description });
  }
  return byName;
}

async function runTask(agent: RunnableAgent, prompt: string, ctx: ToolContext, maxDepth: number): Promise<unknown> {
  const depth = (turnAround(ctx)?.depth ?? 0) + 1;
  if (depth > maxDepth) throw new Error(`A task may not give tasks more than ${maxDepth} deep. Do it yourself.`);
  const call = new OngoingRun(agent).forCall(ctx.toolCallId, depth);
  const result = await call.generate(prompt, { parent: ctx });
  return agent.parts.output === undefined ? result.text : result.output;
}
