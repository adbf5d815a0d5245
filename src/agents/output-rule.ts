import type { NodeContext } from "../components/context.js";
import { InvalidOutputError } from "../models/errors.js";
import type { OutputSchema, ReadOutput } from "../models/output-schema.js";
import { validatorOf } from "../models/runtime-parts.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { textOf } from "../schema/message/read-message.js";
import type { StandardIssue } from "../schema/standard-schema.js";
import { type ToolInfo, toolInfo } from "../schema/tool-info.js";
import { issueList } from "../wording.js";
import type { AgentParts } from "./agent-parts.js";

/** How an agent gets an answer that is a value of its schema. */
export interface OutputRule {
  readonly schema: OutputSchema;
  readonly repairs: number;
  /** The tool by which the model answers; without one it answers in its own format. */
  readonly tool: ToolInfo | undefined;
}

/** The name of the tool by which a model answers, unless a tool of the agent has it. */
export const outputToolName = "final_answer";

/** The output rule is that of the agent that was called, even if another agent answers. */
export function outputRule(
  { output, outputMode, outputRepairs }: Pick<AgentParts, "output" | "outputMode" | "outputRepairs">,
  tools: readonly ToolInfo[],
): OutputRule | undefined {
  if (output === undefined) return undefined;
  const byTool = outputMode === "tool" || (outputMode === "auto" && tools.length > 0);
  return { schema: output, repairs: outputRepairs, tool: byTool ? outputTool(output, tools) : undefined };
}

function outputTool({ jsonSchema }: OutputSchema, tools: readonly ToolInfo[]): ToolInfo {
  let name = outputToolName;
  for (let count = 2; tools.some((tool) => tool.name === name); count++) name = `${outputToolName}_${count}`;
  const description = "Gives the final answer. Call it once, when you have everything that the answer needs.";
  return toolInfo({ name, description, parameters: jsonSchema });
}

export function readOutput({ schema }: OutputRule, text: string, ctx: NodeContext): Promise<ReadOutput> {
  return schema.read(text, { validator: validatorOf(ctx) });
}

/** A provider may say which of its texts is the output. */
export function outputTextOf(message: AgenticMessage): string {
  const { extra } = message;
  return typeof extra?.structuredOutputText === "string" ? extra.structuredOutputText : textOf(message);
}

export function invalidOutput(text: string, issues: readonly StandardIssue[]): InvalidOutputError {
  return new InvalidOutputError(text, issues, issueList(issues));
}
