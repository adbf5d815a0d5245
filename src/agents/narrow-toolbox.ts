import { adaptTool } from "../tools/formats/adapt-tool.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";
import type { Toolbox } from "./toolbox.js";

/** A toolbox with some of its tools: calls of the others are calls of unknown tools. */
export function narrowToolbox(toolbox: Toolbox, isIn: (name: string) => boolean): Toolbox {
  const { kit, table, transfers } = toolbox;
  const tools = toolsIn(toolbox.tools, isIn);
  const isOwnIn = (name: string): boolean => isIn(table.entries.get(name)?.name ?? name);
  return {
    ...toolbox,
    tools,
    table: kit.tableFor({ tools }),
    transfers: new Map([...transfers].filter(([name]) => isOwnIn(name))),
  };
}

function toolsIn(tools: ToolList, isIn: (name: string) => boolean): ToolList {
  if (isToolArray(tools)) return tools.filter((tool) => isIn(adaptTool(tool, undefined, "tools")?.info.name ?? ""));
  return Object.fromEntries(Object.entries(tools).filter(([name]) => isIn(name)));
}
