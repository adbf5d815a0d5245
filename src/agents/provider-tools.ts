import { isFields } from "../is.js";
import { type ProviderTool, type ToolInfo, toolInfo } from "../schema/tool-info.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { duplicateTool } from "../tools/node/errors.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";

/** The tools of an agent: those that run here, and what the model is told of those that its provider runs. */
export interface SplitTools {
  readonly own: ToolList;
  readonly provided: readonly ToolInfo[];
}

type Provided = ProviderTool & { readonly name?: string | undefined };

/** Separates the tools that the provider runs, such as what `openai.tools.webSearch({})` returns. */
export function splitTools(tools: ToolList): SplitTools {
  if (typeof tools !== "object" || tools === null) return { own: tools, provided: [] };
  const entries: readonly (readonly [string, AnyTool])[] = Object.entries(tools);
  if (!entries.some(([, tool]) => isProvided(tool))) return { own: tools, provided: [] };
  const provided = new Map<string, { readonly info: ToolInfo; readonly where: string }>();
  for (const [key, tool] of entries) {
    if (!isProvided(tool)) continue;
    const where = isToolArray(tools) ? `tools[${key}]` : `tools["${key}"]`;
    const info = infoOf(tool, isToolArray(tools) ? undefined : key);
    const other = provided.get(info.name);
    if (other !== undefined) throw duplicateTool(info.name, other.where, where);
    provided.set(info.name, { info, where });
  }
  const own = isToolArray(tools)
    ? tools.filter((tool) => !isProvided(tool))
    : Object.fromEntries(entries.filter(([, tool]) => !isProvided(tool)));
  return { own, provided: [...provided.values()].map(({ info }) => info) };
}

/** Throws if a tool that runs here has the name of one that the provider runs. */
export function checkProvidedNames(names: readonly string[], provided: readonly ToolInfo[]): void {
  for (const { name } of provided) {
    if (names.includes(name)) throw duplicateTool(name, "A tool of the provider", "a tool of the agent");
  }
}

/** With `execute`, the provider only knows the tool: it runs here. */
function isProvided(tool: unknown): tool is Provided {
  if (!isFields(tool) || typeof tool.execute === "function") return false;
  return tool.type === "provider" || tool.type === "provider-defined";
}

/** In a list, a tool without a name is called like its id: `openai.web_search` is `web_search`. */
function infoOf(tool: Provided, key: string | undefined): ToolInfo {
  const { id, name } = tool;
  return toolInfo({ name: key ?? name ?? id.slice(id.lastIndexOf(".") + 1), provider: tool });
}
