import { isFields } from "../../is.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import {
  aliasesNotARecord,
  aliasIsTool,
  aliasTaken,
  argumentAliasIsProperty,
  argumentAliasTaken,
  emptyArgumentAlias,
  emptyArgumentKey,
  emptyNameAlias,
  invalidAliases,
  nestedArgumentKey,
  refusedAliasKey,
} from "./errors.js";
import type { ToolAliases } from "./options.js";

/** Maps an alias to the tool's own name of an argument. */
export type ArgumentAliases = ReadonlyMap<string, string>;

/** Maps aliases to the names of existing tools. Aliases of other tools are ignored, because a call may bring those tools. */
export function nameAliases(
  aliases: Readonly<Record<string, ToolAliases>>,
  tools: ReadonlyMap<string, unknown>,
  byName: ReadonlyMap<string, unknown>,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const [tool, { nameAliases: names = [] }] of Object.entries(aliases)) {
    if (tool === "__proto__") throw refusedAliasKey(tool);
    if (!tools.has(tool)) continue;
    for (const alias of names) {
      if (alias === "") throw emptyNameAlias(tool);
      if (byName.has(alias)) {
        if (byName.get(alias) === byName.get(tool)) continue;
        throw aliasIsTool(tool, alias);
      }
      const other = found.get(alias);
      if (other !== undefined && other !== tool) throw aliasTaken(tool, alias, other);
      found.set(alias, tool);
    }
  }
  return found;
}

/** Checks aliases at run time: a string in place of an array would be taken apart into characters. */
export function checkAliases(aliases: unknown): void {
  if (!isFields(aliases)) throw aliasesNotARecord();
  for (const [tool, own] of Object.entries(aliases)) {
    if (!isFields(own)) throw invalidAliases(tool);
    const { nameAliases = [], argumentsAliases = {}, ...others } = own;
    if (!isFields(argumentsAliases) || Object.keys(others).length > 0) throw invalidAliases(tool);
    if (![nameAliases, ...Object.values(argumentsAliases)].every(isTextList)) throw invalidAliases(tool);
  }
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The aliases of a tool's top-level arguments; `undefined` if there are none. */
export function argumentAliases(
  info: ToolInfo,
  tool: string,
  aliases: ToolAliases | undefined,
): ArgumentAliases | undefined {
  const entries = Object.entries(aliases?.argumentsAliases ?? {});
  if (entries.length === 0) return undefined;
  const properties = propertiesOf(info);
  const found = new Map<string, string>();
  for (const [key, others] of entries) {
    if (key === "") throw emptyArgumentKey(tool);
    if (key === "__proto__") throw refusedAliasKey(tool);
    if (key.includes(".")) throw nestedArgumentKey(tool, key);
    for (const alias of others) {
      if (alias === "") throw emptyArgumentAlias(tool, key);
      if (alias === key) continue;
      if (properties.has(alias)) throw argumentAliasIsProperty(tool, key, alias);
      const other = found.get(alias);
      if (other !== undefined && other !== key) throw argumentAliasTaken(tool, alias, other, key);
      found.set(alias, key);
    }
  }
  return found.size === 0 ? undefined : found;
}

/**
 * Renames the aliased keys of a JSON object. The text is returned unchanged if it is not a JSON object or has no alias. If it has
 * both an alias and the tool's own key, the tool's own key wins.
 */
export function renameArguments(text: string, aliases: ArgumentAliases): string {
  const value = parse(text);
  if (!isFields(value)) return text;
  const keys = Object.keys(value);
  const taken = new Set(keys);
  const names = new Map<string, string>();
  for (const key of keys) {
    const own = aliases.get(key);
    if (own === undefined || taken.has(own)) continue;
    taken.add(own);
    names.set(key, own);
  }
  return names.size === 0 ? text : renameKeys(text, names);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The argument names in the tool's schema; empty if the schema cannot be converted to JSON Schema. */
function propertiesOf(info: ToolInfo): ReadonlySet<string> {
  try {
    const { properties } = info.toJsonSchema() ?? {};
    return new Set(isFields(properties) ? Object.keys(properties) : []);
  } catch {
    return new Set();
  }
}

/**
 * Renames top-level keys in the text of a JSON object. Everything else stays as written, so that numbers with more digits than
 * JavaScript can hold are kept.
 */
function renameKeys(object: string, names: ReadonlyMap<string, string>): string {
  let renamed = "";
  let copied = 0;
  let depth = 0;
  let expectsKey = false;
  for (let position = 0; position < object.length; position++) {
    const letter = object[position];
    if (letter === '"') {
      const end = endOfString(object, position);
      if (expectsKey && depth === 1) {
        const name = names.get(JSON.parse(object.slice(position, end)));
        if (name !== undefined) {
          renamed += object.slice(copied, position) + JSON.stringify(name);
          copied = end;
        }
      }
      expectsKey = false;
      position = end - 1;
    } else if (letter === "{" || letter === "[") {
      depth++;
      expectsKey = depth === 1;
    } else if (letter === "}" || letter === "]") depth--;
    else if (letter === ",") expectsKey = depth === 1;
  }
  return renamed + object.slice(copied);
}

/** The position after the closing quote of a string. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}
