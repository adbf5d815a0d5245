import { mergeToolOptions } from "../../components/tool-options.js";
import { isFields } from "../../is.js";
import { hasToolStages, toolStages } from "../../tools/define/tool-stages.js";
import { declined } from "../errors.js";
import type { StepCall } from "../workflow/step.js";
import type { AnyMastraTool } from "./any-tool.js";
import { isCreatedMastraTool, toolParts } from "./create-tool.js";
import type { MastraToolContext } from "./tool-context.js";

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" }, always: { type: "boolean" } },
  required: ["approved"],
} as const;

/** Runs a tool as a step, which has already validated the input. */
export async function runTool(tool: AnyMastraTool, { params, ctx }: StepCall): Promise<unknown> {
  const { inputData } = params;
  const context = ctx.with(contextFields(tool, { params, ctx })) as never as MastraToolContext;
  if (await needsApproval(tool, inputData, context)) {
    const info = { kind: "tool_approval", toolName: tool.id, toolCallId: params.runId, input: inputData };
    const { approved, reason } = await ctx.ask<{ approved: boolean; reason?: string }>(
      "approval",
      info,
      approvalSchema,
    );
    if (!approved) throw declined(tool.id, reason);
  }
  if (isCreatedMastraTool(tool)) {
    const { run } = tool[toolParts];
    if (run !== undefined) return collectOutput(run(inputData, context));
  }
  return collectOutput(tool.execute(inputData as never, context as never));
}

function contextFields(
  tool: AnyMastraTool,
  { params, ctx }: Pick<StepCall, "params" | "ctx">,
): Record<string, unknown> {
  const { runId, workflowId, suspend, resumeData, mastra, writer, setState, state } = params;
  const { options } = tool as { readonly options?: Parameters<typeof mergeToolOptions>[0] };
  return {
    ...{ toolCallId: runId, toolName: tool.id, messages: [], abortSignal: ctx.signal, suspend, resumeData },
    ...{ rawArguments: JSON.stringify(params.inputData) ?? "", agent: undefined, mcp: undefined },
    ...{ mastra, writer, runtimeContext: ctx.requestContext, tracingContext: {} },
    options: options === undefined ? {} : mergeToolOptions(options, undefined),
    workflow: { runId, workflowId, state, setState, suspend, resumeData },
  };
}

async function needsApproval(tool: AnyMastraTool, input: unknown, ctx: MastraToolContext): Promise<boolean> {
  if (isCreatedMastraTool(tool)) {
    const { requireApproval } = tool[toolParts];
    return typeof requireApproval === "function"
      ? Boolean(await requireApproval(input, ctx))
      : requireApproval === true;
  }
  return hasToolStages(tool) && tool[toolStages].approve !== undefined;
}

/** The output of a tool. Yielded strings are joined; of other yielded values, the last one is the output. */
async function collectOutput(output: unknown): Promise<unknown> {
  const result = await output;
  if (!isFields(result) || !(Symbol.asyncIterator in result)) return result;
  const chunks: unknown[] = [];
  for await (const chunk of result as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks.at(-1);
}
