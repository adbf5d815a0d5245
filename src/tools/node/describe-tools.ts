import type { ToolDescription } from "../../callbacks/graph-info.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import type { ToolStages } from "../define/tool-stages.js";
import type { ToolTable } from "./tool-table.js";

/** The tools of a table as plain data, in order. */
export function describeTools({ infos, entries }: ToolTable): ToolDescription[] {
  return infos.map((info) => describeTool(info, entries.get(info.name)?.stages));
}

/** A tool as plain data; without stages it is one that the provider of the model runs. */
export function describeTool(info: ToolInfo, stages?: ToolStages): ToolDescription {
  const { name, description } = info;
  const parameters = parametersOf(info);
  return {
    name,
    ...(description !== "" && { description }),
    ...(parameters && { parameters }),
    ...(stages?.approval && { approval: stages.approval }),
    kind: kindOf(info, stages),
  };
}

/** `undefined` for parameters that are only validated. */
function parametersOf(info: ToolInfo): JsonSchema | undefined {
  try {
    return info.toJsonSchema();
  } catch {
    return undefined;
  }
}

function kindOf({ provider }: ToolInfo, stages: ToolStages | undefined): ToolDescription["kind"] {
  if (stages === undefined) return "provider";
  if (stages.isAgent === true) return "agent";
  if (stages.isClientTool !== true) return "local";
  return provider === undefined ? "client" : "provider";
}
