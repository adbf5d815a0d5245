import type { Context } from "../../run/context.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import { unknownCallOption } from "./errors.js";
import type { ToolCallMiddleware } from "./middleware.js";
import type { NodeSettings } from "./node-settings.js";
import type { ToolsNodeOptions } from "./options.js";
import { resolveSettings } from "./settings.js";
import { areSameTools, copyOfTools, type ToolList } from "./tool-list.js";
import { type AliasRecord, type SkippedTool, ToolTable } from "./tool-table.js";

/** A tools node without its Runnable: the options, and the tables of tools, its own and those that came with calls. */
export class ToolKit {
  readonly settings: NodeSettings;
  private readonly middlewares: readonly ToolCallMiddleware[];
  private readonly tools: ToolList;
  private readonly aliases: AliasRecord;
  private readonly skipsUnfit: boolean;
  private readonly table: ToolTable;
  private readonly tables = new WeakMap<object, CallTable[]>();

  constructor(config: AgenticToolsNodeConfig) {
    this.settings = resolveSettings(config);
    this.middlewares = [...(config.toolCallMiddlewares ?? [])];
    this.tools = copyOfTools(config.tools);
    this.aliases = config.toolAliases ?? noAliases;
    this.skipsUnfit = config.onSchemaError === "skip";
    this.table = new ToolTable(this.tools, this.aliases, this.middlewares, this.skipsUnfit);
  }

  get skipped(): readonly SkippedTool[] {
    return this.table.skipped;
  }

  /** Whether one of its own tools looks at input that streams in. */
  get hasInputHooks(): boolean {
    return this.table.hasInputHooks;
  }

  get infos(): readonly ToolInfo[] {
    return this.table.infos;
  }

  /** The tools that a call with these options can reach. */
  tableFor({ tools, toolAliases }: ToolsNodeOptions): ToolTable {
    if (tools === undefined && toolAliases === undefined) return this.table;
    return this.cached(tools ?? this.tools, toolAliases ?? this.aliases);
  }

  /** The same list of tools is taken apart once, unless somebody has changed it. */
  private cached(tools: ToolList, aliases: AliasRecord): ToolTable {
    const known = this.tables.get(tools) ?? [];
    const found = known.find((entry) => entry.aliases === aliases && areSameTools(entry.tools, tools));
    if (found !== undefined) return found.table;
    const table = new ToolTable(tools, aliases, this.middlewares, this.skipsUnfit);
    const kept = known.filter((entry) => entry.aliases !== aliases).slice(-3);
    this.tables.set(tools, [...kept, { tools: copyOfTools(tools), aliases, table }]);
    return table;
  }
}

interface CallTable {
  readonly tools: ToolList;
  readonly aliases: AliasRecord;
  readonly table: ToolTable;
}

const noAliases: AliasRecord = Object.freeze({});
const noOptions: ToolsNodeOptions = Object.freeze({});
const callOptionNames: readonly string[] = ["tools", "toolAliases", "messages"] satisfies (keyof ToolsNodeOptions)[];

/** The call options that reached the node. */
export function callOptionsOf({ options }: Context): ToolsNodeOptions {
  if (typeof options !== "object" || options === null) return noOptions;
  for (const name in options) if (!callOptionNames.includes(name)) throw unknownCallOption(name, callOptionNames);
  return options;
}
