import type { ToolInfo } from "../schema/tool-info.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { createTool } from "../tools/define/create-tool.js";
import { adaptTool } from "../tools/formats/adapt-tool.js";
import { modelName } from "../tools/node/model-name.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";
import type { ToolKit, ToolTable } from "../tools/node/tool-table.js";
import type { AgentParts } from "./agent-parts.js";

/** Tools as they are told to a model, and as they run. */
export interface Toolbox {
  readonly kit: ToolKit;
  /** The tools that run here: all others are unknown. */
  readonly tools: ToolList;
  readonly table: ToolTable;
  readonly infos: readonly ToolInfo[];
  /** By the names that models use: the agents that a call hands over to. */
  readonly transfers: ReadonlyMap<string, string>;
  /** Why a run with these tools may have to wait; `undefined` when it never does. */
  readonly mayWait: string | undefined;
}

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

/** The name of the tool that hands a conversation over to an agent. */
function transferTo(agent: string): string {
  return `transfer_to_${agent}`;
}

/** The names that models may call it by: providers refuse long ones. */
export function transferNames(agent: string): readonly string[] {
  return [transferTo(agent), modelName(transferTo(agent))];
}

/** The result that the model gets for a transfer. */
export function transferred(agent: string): string {
  return `The conversation was handed over to ${agent}.`;
}

/** One tool per agent that may be handed over to. */
export function handoffTools(agents: readonly AgentParts[]): (readonly [string, AnyTool])[] {
  return agents.map(({ name, description }) => {
    const about = description === undefined ? "" : ` ${description}`;
    const tool = createTool({
      id: transferTo(name),
      description: `Hands the conversation over to ${name}.${about}`,
      inputSchema: { type: "object", properties: {}, additionalProperties: true },
      execute: () => transferred(name),
    });
    return [transferTo(name), tool as AnyTool];
  });
}
