import type { JsonSchema } from "../schema/standard-schema.js";
import { type CreatedTool, createTool } from "../tools/define/create-tool.js";
import { invalidSearchOption, unknownSearchOption } from "./errors.js";

/** A page that was found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** Some words of the page that fit the query; may be empty. */
  readonly snippet: string;
}

/** A tool with which a model searches the web; `execute` gives a list of `SearchResult`. */
export type SearchTool = CreatedTool<JsonSchema, undefined, Record<never, never>, false>;

/** Options that all search tools share. */
export interface SearchToolOptions {
  /** The name by which the model calls it. @default "web_search" */
  readonly id?: string | undefined;
  /** What the model reads to decide when to call it. */
  readonly description?: string | undefined;
  /** The most results of a call. @default 5 */
  readonly maxResults?: number | undefined;
  /** How long a call may take, in milliseconds. @default 15,000 */
  readonly timeoutMs?: number | undefined;
  /** What sends requests. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** One search of a service, to be answered. */
export interface Search {
  readonly query: string;
  readonly count: number;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

interface SearchService {
  /** The function that makes the tool, for messages. */
  readonly name: string;
  /** Options of its own, besides those of all search tools. */
  readonly own: readonly string[];
  /** The most results that the service gives at a time. */
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

export function makeSearchTool(options: SearchToolOptions, { name, own, most, search }: SearchService): SearchTool {
  if (typeof options !== "object" || options === null) throw invalidSearchOption(`${name} takes an object of options.`);
  const other = Object.keys(options).find((key) => ![...names, ...own].includes(key));
  if (other !== undefined) throw unknownSearchOption(name, other, [...own, ...names]);
  const { id = "web_search", maxResults = 5, timeoutMs = 15_000 } = options;
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > most)
    throw invalidSearchOption(`maxResults of ${name} must be a whole number from 1 to ${most}.`);
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0))
    throw invalidSearchOption(`timeoutMs of ${name} must be a number above 0.`);
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
        // looked up when it is called, and called as the function that it is
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)]),
      });
      return found.slice(0, maxResults);
    },
  });
}

/** Checks a key or another setting that a service needs. The message never has its value. */
export function requireText(name: string, option: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalidSearchOption(`${name} needs the option ${option}, a string that is not empty.`);
}
