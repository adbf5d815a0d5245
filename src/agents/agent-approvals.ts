import type { ApprovalRule, ToolContext } from "../components/tool.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { approve } from "../tools/define/approval.js";
import { type ApprovalOption, approvalFor } from "../tools/define/approval-option.js";
import { adaptTool } from "../tools/formats/adapt-tool.js";
import type { ToolCall } from "../tools/node/middleware.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";
import { toolRunOf } from "../tools/node/tool-run.js";
import { askOption } from "./agent-context.js";

/** Asks for the approval of a call, if it needs one, and returns the call with what was edited. */
export type SettleApproval = (call: ToolCall, ctx: ToolContext) => Promise<ToolCall>;

/** Asks for the approvals that the option `requireApproval` of an agent demands. */
export function agentApprovals(requireApproval: ApprovalOption<AnyTool>, tools: ToolList): SettleApproval {
  const policies = new Map<string, Policy>();
  for (const [toolName, { tool, parameters }] of toolsByName(tools)) {
    const needed = approvalFor({ requireApproval }, toolName, tool);
    if (needed !== undefined && needed !== false)
      policies.set(toolName, { needed: needed as ApprovalRule, parameters });
  }
  return (call, ctx) => settleApproval(policies, call, ctx);
}

async function settleApproval(
  policies: ReadonlyMap<string, Policy>,
  call: ToolCall,
  ctx: ToolContext,
): Promise<ToolCall> {
  const policy = policies.get(ctx.toolName);
  const run = toolRunOf(ctx);
  const stages = run?.entry?.stages;
  if (policy === undefined || run === undefined || stages === undefined) return call;
  const { needed, parameters } = policy;
  const asks =
    typeof needed === "function"
      ? await ctx.once("agent_approval", async () => Boolean(await askPolicy(needed, call, ctx)))
      : needed;
  if (!asks) return call;
  const rule = {
    needed: true,
    parameters,
    readInput: (text: string, staged: Parameters<typeof stages.readInput>[1]) => stages.readInput(text, staged),
  };
  const { input, text = call.arguments } = await approve(call.input, rule, ctx, run);
  return { ...call, input, arguments: text };
}

async function askPolicy(
  needed: Exclude<ApprovalRule, boolean>,
  { input }: ToolCall,
  ctx: ToolContext,
): Promise<unknown> {
  const ask = (): unknown => needed(input as never, ctx as never);
  return askOption(ctx.agent?.name ?? "agent", "requireApproval", ctx.signal, ask);
}

interface NamedTool {
  readonly tool: AnyTool;
  readonly parameters: () => JsonSchema;
}

interface Policy {
  readonly needed: ApprovalRule;
  readonly parameters: () => JsonSchema;
}

function toolsByName(tools: ToolList): Map<string, NamedTool> {
  const entries: (readonly [string | undefined, AnyTool])[] = isToolArray(tools)
    ? tools.map((tool) => [undefined, tool])
    : Object.entries(tools);
  const named = new Map<string, NamedTool>();
  for (const [key, tool] of entries) {
    const info = adaptTool(tool, key, "tools")?.info;
    const name = key ?? info?.name;
    if (name === undefined) continue;
    named.set(name, { tool, parameters: () => info?.toJsonSchema() ?? { type: "object" } });
  }
  return named;
}
