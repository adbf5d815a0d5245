import type { ToolInfo } from "../../schema/tool-info.js";
import {
  aliasIsTool,
  aliasTaken,
  argumentAliasIsProperty,
  argumentAliasTaken,
  emptyArgumentAlias,
  emptyArgumentKey,
  emptyNameAlias,
  nestedArgumentKey,
  refusedAliasKey,
} from "./errors.js";
import type { ToolAliases } from "./options.js";

/** Alias → the tool's own key of an argument. */
export type ArgumentAliases = ReadonlyMap<string, string>;

/** Alias → tool, for the tools that are there. Aliases of other tools are left alone: those may come with a call. */
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

/** Other names of a tool's top-level arguments; `undefined` when there are none. */
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
 * Renames the aliased keys of a JSON object. The text itself is given back when nothing is renamed: when it is no JSON
 * object, has no alias, or has the tool's own key as well, which then wins.
 */
export function renameArguments(text: string, aliases: ArgumentAliases): string {
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return text;
  const taken = new Set(Object.keys(value));
  let renamed = false;
  const entries = Object.entries(value).map(([key, argument]): [string, unknown] => {
    const own = aliases.get(key);
    if (own === undefined || taken.has(own)) return [key, argument];
    taken.add(own);
    renamed = true;
    return [own, argument];
  });
  return renamed ? JSON.stringify(Object.fromEntries(entries)) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The arguments that the tool's schema names; none when it has no JSON form. */
function propertiesOf(info: ToolInfo): ReadonlySet<string> {
  try {
    const { properties } = info.toJsonSchema() ?? {};
    return new Set(typeof properties === "object" && properties !== null ? Object.keys(properties) : []);
  } catch {
    return new Set();
  }
}
