import type { NeedsApproval, ToolContext } from "../components/tool.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { approve } from "../tools/define/approval.js";
import { approvalFor } from "../tools/define/approval-option.js";
import { adaptTool } from "../tools/formats/adapt-tool.js";
import type { ToolCall, ToolCallMiddleware } from "../tools/node/middleware.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";
import { toolRunOf } from "../tools/node/tool-run.js";
import type { AgentParts } from "./agent-parts.js";
import { runToolHook } from "./hooks.js";

/** What stands around every tool of an agent, outside and inside of what its tools node has. */
export function toolWrappers(
  parts: AgentParts,
  tools: ToolList,
): { readonly outer: readonly ToolCallMiddleware[]; readonly inner: readonly ToolCallMiddleware[] } {
  const outer = parts.middleware.filter(({ wrapToolCall }) => wrapToolCall !== undefined);
  const approval = approvalWrapper(parts, tools);
  return {
    outer: outer.map((middleware) => ({
      invokable: (next) => (call, ctx) => runToolHook(middleware, call, ctx, (changed = call) => next(changed, ctx)),
      streamable: (next) => async (call, ctx) => {
        let reader: StreamReader<unknown> | undefined;
        const given = await runToolHook(middleware, call, ctx, (changed = call) => {
          const stream = next(changed, ctx);
          reader = stream;
          return stream.concat();
        });
        void reader?.cancel();
        return StreamReader.from([given]);
      },
    })),
    inner: approval === undefined ? [] : [approval],
  };
}

/** Asks before a tool runs, where the agent wants that. What the tool itself asks is asked in the same question. */
function approvalWrapper({ options }: AgentParts, tools: ToolList): ToolCallMiddleware | undefined {
  const given = [options.requireApproval, options.toolsNode?.requireApproval].filter((option) => option !== undefined);
  if (given.length === 0) return undefined;
  const named = toolsByName(tools);
  const policies = new Map<string, Policy>();
  for (const [toolName, { tool, parameters }] of named) {
    const [requireApproval, needsApproval] = given;
    const needed = approvalFor({ requireApproval, needsApproval }, toolName, tool);
    if (needed !== undefined && needed !== false)
      policies.set(toolName, { needed: needed as NeedsApproval, parameters });
  }
  const settle = (call: ToolCall, ctx: ToolContext): Promise<ToolCall> => settleApproval(policies, call, ctx);
  return {
    invokable: (next) => async (call, ctx) => next(await settle(call, ctx), ctx),
    streamable: (next) => async (call, ctx) => next(await settle(call, ctx), ctx),
  };
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
      ? await ctx.once("agent_approval", async () => Boolean(await needed(call.input as never, ctx as never)))
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

interface NamedTool {
  readonly tool: AnyTool;
  readonly parameters: () => JsonSchema;
}

interface Policy {
  readonly needed: NeedsApproval;
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
