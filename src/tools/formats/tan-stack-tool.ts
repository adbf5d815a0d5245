import type { Tool, ToolContext } from "../../components/tool.js";
import type { Fields } from "../../schema/fields.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { isFunction, textOr } from "./foreign-tool.js";
import { modelExtra } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";
import { requestValues } from "./request-values.js";

export function isTanStackTool(tool: Fields): boolean {
  return tool.__toolSide === "server" || tool.__toolSide === "client" || tool.__toolSide === "definition";
}

/** A tool of TanStack AI. Which side it is for does not matter here: what has a function is executed. */
export function tanStackTool(tool: Fields, name: string): Tool<never> {
  const { execute, description, metadata } = tool;
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: inputSchemaOf(tool.inputSchema),
    outputSchema: outputSchemaOf(tool.outputSchema),
    execute: isFunction(execute) ? (input, ctx) => execute.call(tool, input, contextOf(ctx)) : undefined,
    needsApproval: approvalOf(tool, contextOf),
    metadata,
    extra: modelExtra(tool),
  });
}

function contextOf(ctx: ToolContext): object {
  const emitCustomEvent = (name: string, value: unknown): void => ctx.progress({ name, value });
  const { toolCallId, abortSignal } = ctx;
  return { toolCallId, abortSignal, context: requestValues(ctx), emitCustomEvent };
}
