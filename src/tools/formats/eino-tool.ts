import type { Tool, ToolOutput } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { StreamSource } from "../../schema/stream/source.js";
import { type ToolInfo, toolInfo } from "../../schema/tool-info.js";
import { inputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { infoLater } from "./errors.js";
import { isForeignFunction, textOr } from "./foreign-tool.js";

export function isEinoTool(tool: Fields): boolean {
  return "info" in tool && (isForeignFunction(tool.invokableRun) || isForeignFunction(tool.streamableRun));
}

/** A tool in the form of Eino: the contract of every tool, under other names. */
export function einoTool(tool: Fields, key: string | undefined): Tool {
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
