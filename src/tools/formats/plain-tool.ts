import type { Tool } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { foreignHooks } from "./foreign-hooks.js";
import { isForeignFunction, textOr } from "./foreign-tool.js";
import { modelExtra, withTitle } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";

/** An object with the options of `createTool`: its `execute` gets the same context, and its chunks are the result. */
export function plainTool(tool: Fields, name: string): Tool<never> {
  const { execute, toModelOutput, description, metadata } = tool;
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: inputSchemaOf(tool.inputSchema ?? tool.parameters),
    outputSchema: outputSchemaOf(tool.outputSchema),
    // a bound generator function can still be recognized
    execute: isForeignFunction(execute) ? execute.bind(tool) : undefined,
    requireApproval: approvalOf(tool, (ctx) => ctx),
    toModelOutput: isForeignFunction(toModelOutput) ? (result) => toModelOutput.call(tool, result) : undefined,
    suspendSchema: outputSchemaOf(tool.suspendSchema),
    resumeSchema: outputSchemaOf(tool.resumeSchema),
    requestContextSchema: outputSchemaOf(tool.requestContextSchema),
    hooks: foreignHooks(tool),
    timeoutMs: tool.timeoutMs,
    outputValidation: tool.outputValidation,
    metadata: withTitle(metadata, tool.title),
    mcp: tool.mcp,
    extra: modelExtra(tool),
    concat: tool.concat,
    options: tool.options,
    rawArguments: tool.rawArguments,
  });
}
