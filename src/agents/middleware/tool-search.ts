import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { createTool } from "../../tools/define/create-tool.js";
import { adaptTool } from "../../tools/formats/adapt-tool.js";
import { modelName } from "../../tools/node/model-name.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";
import { turnAround } from "../turn.js";
import type { ToolIndex } from "./tool-index.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link toolSearch}. */
export interface ToolSearchOptions {
  /** The tools to search, in any format that an agent takes: a list, or a record of them by their names. */
  readonly tools: readonly AnyTool[] | Readonly<Record<string, AnyTool>>;
  /** How many tools a search finds at most. @default 5 */
  readonly limit?: number | undefined;
}

/** The state of {@link toolSearch}. */
export interface FoundTools {
  /** The names of the tools that were found, the first one first. */
  readonly found: readonly string[];
}

const name = "toolSearch";

/**
 * Gives an agent many tools without listing them to the model, which finds them with the tool `search_tools`, by words of their names,
 * descriptions and parameters. What it finds is offered from the next step on, for the thread. The other tools are unknown to it. Throws
 * `INVALID_OPTION` for what is not a tool.
 *
 * @example
 * const agent = createAgent({ model, middleware: [toolSearch({ tools: [getWeather], limit: 3 })] });
 */
export function toolSearch(options: ToolSearchOptions): Middleware<FoundTools> {
  checkOptions("toolSearch", options, ["tools", "limit"]);
  const { limit = 5 } = options;
  requireCount("toolSearch", { limit });
  const tools = namedTools(options.tools);
  const hidden = [...tools.keys()];
  let loading: Promise<ToolIndex> | undefined;
  const indexOf = async (): Promise<ToolIndex> => {
    const { ToolIndex } = await import("./tool-index.js");
    return new ToolIndex(tools);
  };
  const search = createTool({
    id: "search_tools",
    description: `Finds tools by words for what they do. ${hidden.length} more tools can be found. Those that were found can be called from your next message on.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "What the tool should do, such as: create an invoice." },
      },
      required: ["query"],
      additionalProperties: false,
    },
    execute: async (input, ctx) => {
      loading ??= indexOf();
      const hits = (await loading).find((input as { readonly query: string }).query, limit);
      if (hits.length === 0) return "No tool fits. Try other words.";
      const turn = turnAround(ctx);
      if (turn !== undefined) {
        const before = turn.state.middleware[name] as FoundTools | undefined;
        const found = new Set([...(before?.found ?? []), ...hits.map((hit) => hit.name)]);
        turn.state.middleware[name] = { found: [...found] } satisfies FoundTools;
      }
      return hits.map((hit) => ({ ...hit, name: modelName(hit.name) }));
    },
  });
  return createMiddleware<FoundTools>({
    name,
    scope: "thread",
    state: () => ({ found: [] }),
    tools: [...tools.values(), search as AnyTool],
    beforeStep({ state }) {
      const found = new Set(state.found);
      return { hideTools: hidden.filter((tool) => !found.has(tool)) };
    },
  });
}

/** The tools by their names. */
function namedTools(given: unknown): ReadonlyMap<string, AnyTool> {
  if (!Array.isArray(given) && !isFields(given))
    throw invalidAgentOption("tools of toolSearch must be a list or a record of tools.");
  const named = new Map<string, AnyTool>();
  for (const [key, value] of Object.entries(given)) {
    const where = Array.isArray(given) ? `tools[${key}] of toolSearch` : `tools["${key}"] of toolSearch`;
    const tool = adaptTool(value, Array.isArray(given) ? undefined : key, where);
    const own = tool?.info?.name;
    if (tool === undefined || typeof own !== "string" || own === "")
      throw invalidAgentOption(`${where} is not a tool that runs here, or it has no name.`);
    if (!Array.isArray(given) && own !== key)
      throw invalidAgentOption(`${where} is named "${own}". Use its name as the key, or give a list.`);
    if (named.has(own)) throw invalidAgentOption(`Two tools of toolSearch are named "${own}".`);
    named.set(own, tool as AnyTool);
  }
  return named;
}
