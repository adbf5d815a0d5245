import type { Tool, ToolOutput } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { StreamSource } from "../../schema/stream/source.js";
import { type ToolInfo, toolInfo } from "../../schema/tool-info.js";
import type { AnyTool } from "../define/any-tool.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { aiSdkTool, isAiSdkTool } from "./ai-sdk-tool.js";
import { approvalOf } from "./approval-of.js";
import { infoLater, namelessTool } from "./errors.js";
import { foreignHooks } from "./foreign-hooks.js";
import { isForeignFunction, textOr } from "./foreign-tool.js";
import { isMastraTool, mastraTool } from "./mastra-tool.js";
import { modelExtra, withTitle } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";
import { isTanStackTool, tanStackTool } from "./tan-stack-tool.js";

/**
 * Converts a tool of any format to the form that a tools node runs; `undefined` for a value that is not a tool. In a record its name is
 * its key; in an array, at the position `where`, it has a name of its own.
 */
export function adaptTool(given: AnyTool, key: string | undefined, where: string): Tool<never> | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  if ("component" in given) return given.component === "tool" ? (given as Tool<never>) : undefined;
  const tool = given as object as Fields;
  if (isEinoTool(tool)) return einoTool(tool, key);
  const adapt = formatOf(tool);
  if (adapt === undefined) return undefined;
  const name = key ?? nameOf(tool);
  if (name === "") throw namelessTool(where);
  return adapt(tool, name);
}

function formatOf(tool: Fields): ((tool: Fields, name: string) => Tool<never>) | undefined {
  if (isMastraTool(tool)) return mastraTool;
  if (isTanStackTool(tool)) return tanStackTool;
  if (isAiSdkTool(tool)) return aiSdkTool;
  return isForeignFunction(tool.execute) || "inputSchema" in tool ? plainTool : undefined;
}

function nameOf({ name, id }: Fields): string {
  if (typeof name === "string") return name;
  return typeof id === "string" ? id : "";
}

function isEinoTool(tool: Fields): boolean {
  return "info" in tool && (isForeignFunction(tool.invokableRun) || isForeignFunction(tool.streamableRun));
}

/** A tool in the form of Eino: the contract of every tool, under other names. */
function einoTool(tool: Fields, key: string | undefined): Tool {
  const { invokableRun, streamableRun } = tool;
  return {
    component: "tool",
    info: infoOf(tool, key),
    requireApproval: approvalOf(tool, (ctx) => ctx),
    ...(isForeignFunction(invokableRun) && {
      invoke: async (args, ctx) => (await invokableRun.call(tool, args, ctx)) as ToolOutput,
    }),
    ...(isForeignFunction(streamableRun) && {
      stream: (args, ctx) => streamableRun.call(tool, args, ctx) as StreamSource<ToolOutput>,
    }),
  };
}

function infoOf(tool: Fields, key: string | undefined): ToolInfo {
  const info = (isForeignFunction(tool.info) ? tool.info() : tool.info) as Fields | undefined;
  if (info !== undefined && "then" in info) throw infoLater();
  if (info !== undefined && isForeignFunction(info.toJsonSchema)) return info as Fields & ToolInfo;
  const { name, description, desc, parameters } = info ?? {};
  return toolInfo({
    name: textOr(name, key ?? ""),
    description: textOr(description ?? desc, ""),
    parameters: inputSchemaOf(parameters) as ToolParameters | undefined,
  });
}

/** An object with the options of `createTool`: its `execute` gets the same context, and its chunks are the result. */
function plainTool(tool: Fields, name: string): Tool<never> {
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
