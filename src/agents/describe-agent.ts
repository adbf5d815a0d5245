import type { ToolDescription } from "../callbacks/graph-info.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { describeTool } from "../tools/node/describe-tools.js";
import type { AgentDescription } from "./agent-description.js";
import type { AgentParts } from "./agent-parts.js";
import { isFor } from "./approvals/approvals.js";
import { modelChain } from "./model-chain.js";
import { toolboxOf } from "./ready-agent.js";

export function describeAgent(parts: AgentParts): AgentDescription {
  const { name, description, options, output, maxSteps, middleware } = parts;
  const { instructions, handoffs } = options;
  const model = modelOf(parts);
  const given = typeof instructions === "function" ? "dynamic" : instructions;
  return withoutUndefined<Whole>({
    name,
    description,
    instructions: given,
    model,
    tools: agentTools(parts) ?? "dynamic",
    output: output && schemaOf(output),
    handoffs: typeof handoffs === "function" ? "dynamic" : parts.handoffs().map((agent) => agent.name),
    middleware: middleware.map((one) => one.name),
    maxSteps,
  }) as AgentDescription;
}

type Whole = { readonly [Name in keyof AgentDescription]-?: AgentDescription[Name] | undefined };

/** What the description of an agent's graph says of the node that asks the model. */
export function describeModelNode(parts: AgentParts): { readonly component: "model"; readonly type?: string } {
  const type = modelOf(parts);
  return { component: "model", ...(type !== undefined && type !== "dynamic" && { type }) };
}

/** The same of the node that runs the tools. */
export function describeToolsNode(parts: AgentParts): { readonly tools?: readonly ToolDescription[] } {
  const tools = agentTools(parts);
  return tools === undefined ? {} : { tools };
}

function modelOf(parts: AgentParts): string | undefined {
  const { model } = parts.options;
  return typeof model === "function" ? "dynamic" : modelChain(model, parts, `createAgent("${parts.name}")`).model.type;
}

/** `undefined` if a function gives them. */
function agentTools(parts: AgentParts): ToolDescription[] | undefined {
  const { tools = [] } = parts.options;
  if (typeof tools === "function") return undefined;
  const { infos, table } = toolboxOf(parts, tools, { withoutHandoffs: true });
  return infos.map((info) => {
    const entry = table.entries.get(info.name);
    const own = describeTool(info, entry?.stages);
    // what the model's provider runs asks nobody here
    const approval = entry === undefined ? own.approval : approvalByRules(parts, entry.name, own.approval);
    return withoutUndefined({ ...own, approval }) as ToolDescription;
  });
}

/** The first rule that is for the tool decides, if it is for all of its calls. */
function approvalByRules({ rules = [] }: AgentParts, name: string, own: ToolDescription["approval"]): typeof own {
  const rule = rules.find((one) => isFor(one, name));
  if (rule === undefined || rule.action === "deny") return own;
  if (rule.when !== undefined) return own === "always" && rule.action === "ask" ? own : "sometimes";
  return rule.action === "ask" ? "always" : undefined;
}

function schemaOf(output: NonNullable<AgentParts["output"]>): JsonSchema {
  try {
    return toJsonSchema(output, { side: "output" });
  } catch {
    // a schema that transforms its value: what the model is asked for
    return toJsonSchema(output);
  }
}
