import type { Tool } from "../../components/tool.js";
import { KumikoError, messageOf } from "../../errors.js";
import { onlyValidates } from "../../schema/json-schema/convert.js";
import { looksLikeInteger } from "../../schema/record-key.js";
import { type ToolInfo, toolInfo } from "../../schema/tool-info.js";
import type { AnyTool } from "../define/any-tool.js";
import { stagesOf } from "../define/contract-stages.js";
import { adaptTool } from "../formats/adapt-tool.js";
import { argumentAliases, checkAliases, nameAliases } from "./aliases.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import {
  duplicateTool,
  invalidToolKey,
  invalidToolsNodeOption,
  notATool,
  sameModelName,
  skippedTools,
  toolDoesNothing,
  toolsWithoutJsonSchema,
  toolWithoutInfo,
  toolWithoutName,
} from "./errors.js";
import { composeInvokable, composeStreamable, type ToolCallMiddleware } from "./middleware.js";
import { modelName } from "./model-name.js";
import type { ReplaceResult, ToolEntry, ToolsNodeSettings } from "./node-settings.js";
import type { ToolAliases, ToolsNodeOptions } from "./options.js";
import { nextInvokable, nextStreamable } from "./run-tool.js";
import { resolveSettings } from "./settings.js";
import { areSameTools, copyOfTools, isToolArray, type ToolList } from "./tool-list.js";

export type AliasRecord = Readonly<Record<string, ToolAliases>>;

/** The tools of a node, or those given with the options of one run. */
export class ToolTable {
  /** The tools by all their names, aliases included. */
  readonly entries: ReadonlyMap<string, ToolEntry>;
  /** The tool infos for a model, in order. */
  readonly infos: readonly ToolInfo[];
  /** The tools' own names, in order. */
  readonly names: readonly string[];
  /** Tools that were left out. */
  readonly skipped: readonly SkippedTool[];

  constructor(
    tools: ToolList,
    aliases: AliasRecord,
    middlewares: readonly ToolCallMiddleware[],
    skipsInvalid: boolean,
  ) {
    checkAliases(aliases);
    const named = namedTools(tools);
    const invalid = toolsWithoutSchema(named);
    if (invalid.length > 0 && !skipsInvalid) throw toolsWithoutJsonSchema(invalid.map(describe), invalid[0]?.error);
    for (const { name } of invalid) named.delete(name);
    if (invalid.length > 0) console.warn(skippedTools(invalid.map(describe)));
    this.skipped = Object.freeze(invalid);
    const entries = new Map<string, ToolEntry>();
    for (const [name, { tool, info }] of named) entries.set(name, entryOf(tool, name, info, aliases, middlewares));
    this.names = [...named.keys()];
    this.infos = Object.freeze(addModelNames(named, entries));
    for (const [alias, name] of nameAliases(aliases, named, entries)) {
      const entry = entries.get(name);
      if (entry !== undefined) entries.set(alias, entry);
    }
    this.entries = entries;
  }

  get hasInputHooks(): boolean {
    return [...this.entries.values()].some(
      ({ stages: { hooks } }) => hooks?.onInputStart !== undefined || hooks?.onInputDelta !== undefined,
    );
  }
}

/** A tool that cannot be offered to a model, because its schema cannot be converted to JSON Schema. */
export interface SkippedTool {
  /** The tool's own name, or its key in the record. */
  readonly name: string;
  /** Its position in the option: `tools[2]` or `tools["search"]`. */
  readonly where: string;
  /** The error of the conversion. */
  readonly error: unknown;
}

interface Named {
  readonly tool: Tool<never>;
  readonly info: ToolInfo;
  readonly where: string;
}

/** Tools by name: the keys of a record, or the tools' own names in an array. */
function namedTools(tools: ToolList): Map<string, Named> {
  if (typeof tools !== "object" || tools === null)
    throw invalidToolsNodeOption("tools must be an array or a record of tools.");
  const named = new Map<string, Named>();
  if (!isToolArray(tools)) {
    for (const [key, given] of Object.entries(tools)) {
      if (key === "__proto__" || looksLikeInteger(key)) throw invalidToolKey(key);
      const where = `tools["${key}"]`;
      if (key === "") throw toolWithoutName(where);
      const tool = toolOf(given, key, where);
      named.set(key, { tool, info: infoOf(tool, where), where });
    }
    return named;
  }
  for (const [index, given] of tools.entries()) {
    const where = `tools[${index}]`;
    const tool = toolOf(given, undefined, where);
    const info = infoOf(tool, where);
    const { name } = info;
    if (typeof name !== "string" || name === "") throw toolWithoutName(where);
    const other = named.get(name);
    if (other !== undefined) throw duplicateTool(name, other.where, where);
    named.set(name, { tool, info, where });
  }
  return named;
}

/** Adapts a tool of any format. */
function toolOf(given: AnyTool, key: string | undefined, where: string): Tool<never> {
  let tool: Tool<never> | undefined;
  try {
    tool = adaptTool(given, key, where);
  } catch (cause) {
    throw KumikoError.is(cause) ? cause : toolWithoutInfo(where, cause);
  }
  if (tool === undefined) throw notATool(where, given);
  return tool;
}

function infoOf(tool: Tool<never>, where: string): ToolInfo {
  let info: ToolInfo | undefined;
  try {
    info = tool.info;
  } catch (cause) {
    throw toolWithoutInfo(where, cause);
  }
  if (typeof info !== "object" || info === null) throw toolWithoutInfo(where, "it has no info.");
  // a handwritten tool may have plain fields only
  return typeof info.toJsonSchema === "function" || info.name === "" ? info : toolInfo(info);
}

/**
 * Finds all tools whose schemas do not convert to JSON Schema, so that they are reported now and not when a model is called. A
 * schema that can only validate is accepted: it checks arguments, and is an error only when it is given to a model.
 */
function toolsWithoutSchema(named: ReadonlyMap<string, Named>): SkippedTool[] {
  const found: SkippedTool[] = [];
  for (const [name, { info, where }] of named) {
    try {
      if (!onlyValidates(info.parameters)) info.toJsonSchema();
    } catch (error) {
      found.push({ name, where, error });
    }
  }
  return found;
}

function describe({ where, error }: SkippedTool): string {
  return `${where}: ${messageOf(error)}`;
}

function entryOf(
  tool: Tool<never>,
  name: string,
  info: ToolInfo,
  aliases: AliasRecord,
  middlewares: readonly ToolCallMiddleware[],
): ToolEntry {
  const stages = stagesOf(tool, info);
  if (stages.invoke === undefined && stages.stream === undefined) throw toolDoesNothing(name);
  const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  return {
    name,
    type: tool.type ?? "",
    description: info.description,
    stages,
    options: tool.options,
    timeoutMs: stages.timeoutMs,
    argumentAliases: argumentAliases(info, name, own),
    known: true,
    invokable: stages.invoke && composeInvokable(middlewares, nextInvokable),
    streamable: stages.stream && composeStreamable(middlewares, nextStreamable),
  };
}

/** Adds the names that models use to the entries, and returns the infos with these names. */
function addModelNames(named: ReadonlyMap<string, Named>, entries: Map<string, ToolEntry>): ToolInfo[] {
  const taken = new Map<string, string>();
  return [...named].map(([name, { info }]) => {
    const shown = modelName(name);
    const other = taken.get(shown);
    if (other !== undefined) throw sameModelName(shown, other, name);
    taken.set(shown, name);
    const entry = entries.get(name);
    if (entry !== undefined) entries.set(shown, entry);
    return shown === info.name ? info : { ...info, name: shown };
  });
}

/** A tools node without its Runnable: the options and the tables of tools, its own and those given with runs. */
export class ToolKit {
  readonly settings: ToolsNodeSettings;
  private readonly middlewares: readonly ToolCallMiddleware[];
  private readonly tools: ToolList;
  private readonly aliases: AliasRecord;
  private readonly skipsInvalid: boolean;
  /** The node's own tools. */
  readonly table: ToolTable;
  private readonly tables = new WeakMap<object, CallTable[]>();

  constructor(config: AgenticToolsNodeConfig, replaceResult?: ReplaceResult) {
    const settings = resolveSettings(config);
    this.settings = replaceResult === undefined ? settings : { ...settings, replaceResult };
    this.middlewares = [...(config.toolCallMiddlewares ?? [])];
    this.tools = copyOfTools(config.tools);
    this.aliases = config.toolAliases ?? noAliases;
    this.skipsInvalid = config.onSchemaError === "skip";
    this.table = new ToolTable(this.tools, this.aliases, this.middlewares, this.skipsInvalid);
  }

  get skipped(): readonly SkippedTool[] {
    return this.table.skipped;
  }

  /** Whether one of its own tools has hooks for streaming input. */
  get hasInputHooks(): boolean {
    return this.table.hasInputHooks;
  }

  get infos(): readonly ToolInfo[] {
    return this.table.infos;
  }

  /** The table for call options with tools or aliases. It is cached by the list of tools, as long as the list is not changed. */
  tableFor({ tools = this.tools, toolAliases: aliases = this.aliases }: ToolsNodeOptions): ToolTable {
    const known = this.tables.get(tools) ?? [];
    const found = known.find((entry) => entry.aliases === aliases && areSameTools(entry.tools, tools));
    if (found !== undefined) return found.table;
    const table = new ToolTable(tools, aliases, this.middlewares, this.skipsInvalid);
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
