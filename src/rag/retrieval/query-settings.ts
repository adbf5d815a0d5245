import type { NodeContext } from "../../components/context.js";
import { hasMethod } from "../../is.js";
import { invalidValue, missingSetting, unknownVectorStore } from "../errors.js";
import { invalidFilter } from "../vectors/errors.js";
import { bothFilters, type Filter } from "../vectors/filter.js";
import type { QueryableStore, QueryToolOptions } from "./query-tool-options.js";
import { selectionOf } from "./vector-retriever.js";

/** The settings of one call. */
export interface QuerySettings {
  readonly store: QueryableStore;
  readonly indexName: string;
  /** Missing if the filter alone selects the results. */
  readonly queryText: string | undefined;
  readonly topK: number;
  readonly filter: Filter | undefined;
  readonly includeSources: boolean;
  /** The value of a name in the input, or else in the request context. */
  pick(name: string): unknown;
}

export type QueryInput = Readonly<Record<string, unknown>>;

/** Resolves the settings of one call: the input comes first, then the request context, then the options of the tool. */
export function readQuerySettings(options: QueryToolOptions, input: QueryInput, ctx: NodeContext): QuerySettings {
  const request = (name: string): unknown => ctx.requestContext.get(name);
  const pick = (name: string): unknown => input[name] ?? request(name);
  const storeName = textOf("vectorStoreName", pick("vectorStoreName") ?? options.vectorStoreName);
  const topK = pick("topK") ?? options.topK ?? 10;
  const includeSources = pick("includeSources") ?? options.includeSources ?? true;
  if (typeof includeSources !== "boolean") throw invalidValue("includeSources", "true or false", includeSources);
  if (!Number.isInteger(topK) || Number(topK) < 1) throw invalidValue("topK", "a whole number of at least 1", topK);
  const filter = readFilters(options, input, ctx);
  return {
    store: findStore(storeName, options, ctx),
    indexName: textOf("indexName", pick("indexName") ?? options.indexName),
    queryText: filter !== undefined && isBlank(input.queryText) ? undefined : textOf("queryText", input.queryText),
    topK: Number(topK),
    filter,
    includeSources,
    pick,
  };
}

const isBlank = (text: unknown): boolean => text === undefined || (typeof text === "string" && text.trim() === "");

/** Joins the filters of the tool, the request context and the model. All of them must match. */
function readFilters(
  options: QueryToolOptions,
  input: QueryInput,
  { requestContext }: NodeContext,
): Filter | undefined {
  const own = selectionOf("the query tool", options).filter;
  const given = requestContext.get("filter");
  const isGiven = given !== undefined || (hasMethod(requestContext, "has") && requestContext.has("filter"));
  const requested = isGiven ? selectionOf("the request context", { filter: given as Filter }).filter : undefined;
  const asked = options.enableFilter === true && "filter" in input ? parseFilter(input.filter) : undefined;
  return bothFilters(bothFilters(own, requested), asked);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw value === undefined ? missingSetting(name) : invalidValue(name, "a non-empty string", value);
}

/** Without a `mastra` of its own, the tool asks the one that it runs for. */
function findStore(name: string, options: QueryToolOptions, ctx: NodeContext): QueryableStore {
  const { vectorStores = {}, mastra = ownerIn(ctx) } = options;
  const own = Object.hasOwn(vectorStores, name) ? vectorStores[name] : undefined;
  if (own !== undefined) return own;
  const unknown = (cause?: unknown) => {
    const known = [...Object.keys(vectorStores), ...Object.keys(mastra?.listVectors?.() ?? {})];
    return unknownVectorStore(name, known, cause);
  };
  try {
    const found = mastra?.getVector(name);
    if (found !== undefined) return found;
  } catch (cause) {
    throw unknown(cause);
  }
  throw unknown();
}

function ownerIn(ctx: NodeContext): QueryToolOptions["mastra"] {
  const { mastra } = ctx as { readonly mastra?: unknown };
  return hasMethod(mastra, "getVector") ? (mastra as QueryToolOptions["mastra"]) : undefined;
}

/** Models often pass the filter as a string of JSON. */
function parseFilter(filter: unknown): Filter | undefined {
  if (typeof filter !== "string") return selectionOf("the input", { filter: filter as Filter }).filter;
  if (filter.trim() === "") return undefined;
  try {
    return JSON.parse(filter) as Filter;
  } catch {
    throw invalidFilter("it is a string that is not JSON", filter);
  }
}
