import type { ToolInfo } from "../schema/tool-info.js";
import type { ToolList } from "../tools/node/tool-list.js";
import type { ToolKit, ToolTable } from "../tools/node/tool-table.js";

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
