import type { NodeContext } from "../../components/context.js";
import { hasMethod } from "../../is.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { invalidValue, missingSetting, unknownRagOption, unknownVectorStore } from "../errors.js";
import { invalidFilter } from "../vectors/errors.js";
import { bothFilters, type Filter } from "../vectors/filter.js";
import { selectionOf } from "./vector-retriever.js";

/** The part of a vector store that the query tools use. `VectorStore` and the stores of Mastra implement it. */
export interface QueryableStore {
  query(options: {
    readonly indexName: string;
    readonly queryVector?: number[];
    readonly queryText?: string;
    readonly topK: number;
    readonly filter?: Filter;
    readonly includeVector?: boolean;
  }): Promise<readonly StoreHit[]>;
}

/** A result of a {@link QueryableStore}. Stores of Mastra have the text in `metadata.text`. */
export interface StoreHit {
  readonly id: string;
  readonly score: number;
  readonly document?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly vector?: readonly number[] | undefined;
}

/** The common options of both query tools. Values of the same name in the request context take precedence. */
export interface QueryToolOptions {
  /** The name of the tool. @default derived from the names of the store and the index */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  /** Embeds the query text. Without it, the store searches for the words of the text. */
  readonly model?: AnyEmbedder | undefined;
  /** The name of the store, a key of `vectorStores` or a name that `mastra` knows. */
  readonly vectorStoreName?: string | undefined;
  readonly indexName?: string | undefined;
  /** The stores, by their names. */
  readonly vectorStores?: Readonly<Record<string, QueryableStore>> | undefined;
  /** Looks up stores that are not in `vectorStores`. */
  readonly mastra?:
    | {
        getVector(name: string): QueryableStore | undefined;
        listVectors?(): Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
  /** @default 10 */
  readonly topK?: number | undefined;
  /** A filter for all results, in addition to that of the model. An undefined filter is an error. */
  readonly filter?: Filter;
  /** Whether the model may pass a filter, also without a text. @default false */
  readonly enableFilter?: boolean | undefined;
  /** Whether the result includes `sources`. @default true */
  readonly includeSources?: boolean | undefined;
}

export const queryToolNames: readonly string[] = [
  ...["id", "description", "model", "vectorStoreName", "indexName", "vectorStores", "mastra"],
  ...["topK", "filter", "enableFilter", "includeSources"],
];

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

type Input = Readonly<Record<string, unknown>>;

/** The input schema of the tools. Where the model may pass a filter, it may leave out the text, unless `needsText`. */
export function querySchema(enableFilter: boolean, needsText: boolean) {
  const filter = {
    type: ["object", "string"],
    description: 'What the metadata of results must be, such as {"lang": "en"} or {"year": {"$gte": 2020}}.',
  };
  const isOptional = enableFilter && !needsText;
  const text = isOptional ? "What to look for. Leave it out to list what matches the filter." : "What to look for.";
  return {
    type: "object",
    properties: {
      queryText: { type: "string", description: text },
      topK: { type: "integer", minimum: 1, description: "How many results." },
      ...(enableFilter ? { filter } : {}),
    },
    required: isOptional ? [] : ["queryText"],
    additionalProperties: false,
  };
}

/** Resolves the settings of one call: the input comes first, then the request context, then the options of the tool. */
export function readQuerySettings(options: QueryToolOptions, input: Input, ctx: NodeContext): QuerySettings {
  const request = (name: string): unknown => ctx.requestContext.get(name);
  const pick = (name: string): unknown => input[name] ?? request(name);
  const storeName = textOf("vectorStoreName", pick("vectorStoreName") ?? options.vectorStoreName);
  const topK = pick("topK") ?? options.topK ?? 10;
  const includeSources = pick("includeSources") ?? options.includeSources ?? true;
  if (typeof includeSources !== "boolean") throw invalidValue("includeSources", "true or false", includeSources);
  if (!Number.isInteger(topK) || Number(topK) < 1) throw invalidValue("topK", "a whole number of at least 1", topK);
  const filter = readFilters(options, input, ctx);
  return {
    store: findStore(storeName, options),
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
function readFilters(options: QueryToolOptions, input: Input, { requestContext }: NodeContext): Filter | undefined {
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

function findStore(name: string, { vectorStores = {}, mastra }: QueryToolOptions): QueryableStore {
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

export function checkToolOptions(where: string, options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownRagOption(where, other, known);
}

export function toolId(kind: string, { id, vectorStoreName, indexName }: QueryToolOptions): string {
  return id ?? [kind, vectorStoreName, indexName, "Tool"].filter((part) => part !== undefined).join(" ");
}
