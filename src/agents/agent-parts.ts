import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { ToolList } from "../tools/node/tool-list.js";
import type { AgentOptions, OnMaxSteps, OutputMode } from "./agent-options.js";
import type { CallRule } from "./approvals/approvals.js";
import type { AnyMiddleware } from "./create-middleware.js";
import type { GuardOptions } from "./guards/guard.js";

/** The options of an agent of any output. */
export type AnyAgentOptions = AgentOptions<AnyStandardSchema | JsonSchema | undefined>;

/** An agent's options, checked and with their defaults. @internal */
export interface AgentParts {
  readonly name: string;
  readonly description: string | undefined;
  readonly options: AnyAgentOptions;
  readonly output: AnyStandardSchema | JsonSchema | undefined;
  readonly outputMode: OutputMode;
  readonly outputRepairs: number;
  readonly maxSteps: number;
  readonly onMaxSteps: OnMaxSteps;
  readonly middleware: readonly AnyMiddleware[];
  /** The rules of its middleware `approvals`, if it has that. */
  readonly rules: readonly CallRule[] | undefined;
  /** Those among its middlewares. */
  readonly guards: readonly GuardOptions[];
  /** The agents that it may hand over to; they may be made after it. */
  readonly handoffs: () => readonly AgentParts[];
}

/** The name of the tool by which a model gives the output of an agent, unless a tool of the agent has it. */
export const outputToolName = "final_answer";

/** Where an agent keeps its parts, for other agents. */
export const agentParts: unique symbol = Symbol.for("kumiko/agent-parts") as never;

export function partsOf(value: unknown): AgentParts | undefined {
  if (typeof value !== "object" || value === null || !(agentParts in value)) return undefined;
  return value[agentParts] as AgentParts;
}

/** Every agent that a conversation can come to, the called one first. */
export function reachableFrom(first: AgentParts): readonly AgentParts[] {
  const found = new Set([first]);
  for (const parts of found) for (const next of parts.handoffs()) found.add(next);
  return [...found];
}

/** The list or record of an agent's own tools, and what else it has, as one list or record. */
export function withTools(tools: ToolList, others: readonly (readonly [string, AnyTool])[]): ToolList {
  if (others.length === 0) return tools;
  if (Array.isArray(tools)) return [...tools, ...others.map(([, tool]) => tool)];
  return { ...tools, ...Object.fromEntries(others) };
}

/** Whether hooks may give a step tools that the agent does not have. */
export function mayAddTools({ middleware }: AgentParts): boolean {
  return middleware.some(({ beforeStep }) => beforeStep !== undefined);
}
