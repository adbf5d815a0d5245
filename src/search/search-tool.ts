import { checkOptions } from "../check-options.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import { type CreatedTool, createTool } from "../tools/define/create-tool.js";
import { invalidSearchOption } from "./errors.js";

/** A page found by a search. */
export interface SearchResult {
  /** The title of the page. */
  readonly title: string;
  /** The address of the page. */
  readonly url: string;
  /** An excerpt of the page that matches the query; may be empty. */
  readonly snippet: string;
}

/** A tool with which a model searches the web. `execute` returns a list of {@link SearchResult}. */
export type SearchTool = CreatedTool<JsonSchema, undefined, Record<never, never>, false>;

/** Options of all search tools. */
export interface SearchToolOptions {
  /** The name of the tool. @default "web_search" */
  readonly id?: string | undefined;
  /** The description that the model reads. */
  readonly description?: string | undefined;
  /** The maximum number of results per call. @default 5 */
  readonly maxResults?: number | undefined;
  /** The time limit of a call, in milliseconds. @default 15,000 */
  readonly timeoutMs?: number | undefined;
  /** The function that sends requests. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** One search. */
export interface Search {
  readonly query: string;
  readonly count: number;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

interface SearchServiceDefinition {
  /** The function that creates the tool, for error messages. */
  readonly name: string;
  /** The names of additional options. */
  readonly own: readonly string[];
  /** The maximum number of results that the service returns. */
  readonly most: number;
  search(search: Search): Promise<readonly SearchResult[]>;
}

const names = ["id", "description", "maxResults", "timeoutMs", "fetch"];
const inputSchema: JsonSchema = {
  type: "object",
  properties: { query: { type: "string", minLength: 1, description: "What to search for." } },
  required: ["query"],
  additionalProperties: false,
};

export function makeSearchTool(
  options: SearchToolOptions,
  { name, own, most, search }: SearchServiceDefinition,
): SearchTool {
  checkOptions(name, options, [...own, ...names]);
  const { id = "web_search", maxResults = 5, timeoutMs = 15_000 } = options;
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > most)
    throw invalidSearchOption(
      `maxResults of ${name} must be a whole number from 1 to ${most} (got ${String(maxResults)}).`,
    );
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0))
    throw invalidSearchOption(`timeoutMs of ${name} must be a number above 0 (got ${String(timeoutMs)}).`);
  return createTool({
    id,
    description:
      options.description ??
      "Search the web. Gives a list of pages with their titles, addresses and some of their words.",
    inputSchema,
    execute: async ({ query }, ctx): Promise<readonly SearchResult[]> => {
      const found = await search({
        query: String(query),
        count: maxResults,
        // looks up the global fetch on each call, so that it can be replaced later
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        signal: limitedSignal(ctx, timeoutMs),
      });
      return found.slice(0, maxResults);
    },
  });
}

/** A tool that is called directly, outside a run, may have no context, or one without a signal. */
function limitedSignal(ctx: { readonly signal?: AbortSignal } | undefined, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return ctx?.signal === undefined ? timeout : AbortSignal.any([ctx.signal, timeout]);
}

/** Validates a required string, such as a key. Error messages never contain its value. */
export function requireText(name: string, option: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalidSearchOption(`${name} needs the option ${option}, a non-empty string.`);
}
