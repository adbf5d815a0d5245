import type { ToolContext } from "../../components/tool.js";
import { shorten } from "../../schema/shorten.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { invalidRagOption, invalidValue, unknownRagOption, unknownVectorStore } from "../errors.js";
import { invalidFilter } from "../vectors/errors.js";
import { bothFilters, type Filter } from "../vectors/filter.js";

/** What tools ask of a store: `VectorStore` and the stores of Mastra have it. */
export interface QueryableStore {
  query(options: {
    readonly indexName: string;
    readonly queryVector: number[];
    readonly topK: number;
    readonly filter?: Filter;
    readonly includeVector?: boolean;
  }): Promise<readonly StoreHit[]>;
}

/** What such a store finds; those of Mastra keep the text in the metadata. */
export interface StoreHit {
  readonly id: string;
  readonly score: number;
  readonly document?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly vector?: readonly number[] | undefined;
}

/** What both tools are made with. Values of the request of the same names come before these. */
export interface QueryToolOptions {
  /** @default made of the names of store and index */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  /** Embeds the question. */
  readonly model: AnyEmbedder;
  /** The name of the store. */
  readonly vectorStoreName?: string | undefined;
  readonly indexName?: string | undefined;
  /** The stores, by their names. */
  readonly vectorStores?: Readonly<Record<string, QueryableStore>> | undefined;
  /** Knows stores by their names too. */
  readonly mastra?:
    | {
        getVector(name: string): QueryableStore | undefined;
        listVectors?(): Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
  /** @default 10 */
  readonly topK?: number | undefined;
  /** What all results must fit, whatever the model asks. */
  readonly filter?: Filter | undefined;
  /** Whether the model may filter too. @default false */
  readonly enableFilter?: boolean | undefined;
  /** Whether the result has what was found in full. @default true */
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
  readonly queryText: string;
  readonly topK: number;
  readonly filter: Filter | undefined;
  readonly includeSources: boolean;
  /** What the input says under a name, else the request. */
  pick(name: string): unknown;
}

type Input = Readonly<Record<string, unknown>>;

/** What the model may say. */
export function querySchema(enableFilter: boolean) {
  const filter = {
    type: ["object", "string"],
    description: 'What the metadata of results must be, such as {"lang": "en"} or {"year": {"$gte": 2020}}.',
  };
  return {
    type: "object",
    properties: {
      queryText: { type: "string", description: "What to look for." },
      topK: { type: "integer", minimum: 1, description: "How many results." },
      ...(enableFilter ? { filter } : {}),
    },
    required: ["queryText"],
    additionalProperties: false,
  };
}

/** For each setting: what the input says, else the request, else how the tool was made. */
export function readQuerySettings(options: QueryToolOptions, input: Input, ctx: ToolContext): QuerySettings {
  const request = (name: string): unknown => ctx.requestContext.get(name);
  const pick = (name: string): unknown => input[name] ?? request(name);
  const storeName = textOf("vectorStoreName", pick("vectorStoreName") ?? options.vectorStoreName);
  const topK = pick("topK") ?? options.topK ?? 10;
  const includeSources = pick("includeSources") ?? options.includeSources ?? true;
  if (typeof includeSources !== "boolean") throw invalidValue("includeSources", "true or false", includeSources);
  if (!Number.isInteger(topK) || Number(topK) < 1) throw invalidValue("topK", "a whole number of at least 1", topK);
  const asked = options.enableFilter === true ? parseFilter(input.filter) : undefined;
  return {
    store: findStore(storeName, options),
    indexName: textOf("indexName", pick("indexName") ?? options.indexName),
    queryText: textOf("queryText", input.queryText),
    topK: Number(topK),
    filter: bothFilters(bothFilters(options.filter, request("filter") as Filter | undefined), asked),
    includeSources,
    pick,
  };
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidRagOption(
    value === undefined
      ? `${name} is missing: give it when the tool is made, or in the request context.`
      : `${name} must be a text, but is ${shorten(value, { length: 80 })}.`,
  );
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

/** Models like to write it as text. */
function parseFilter(filter: unknown): Filter | undefined {
  if (typeof filter !== "string") return filter as Filter | undefined;
  if (filter.trim() === "") return undefined;
  try {
    return JSON.parse(filter) as Filter;
  } catch {
    throw invalidFilter("it is a text, and not JSON", filter);
  }
}

export function checkToolOptions(where: string, options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownRagOption(where, other, known);
}

/** The id of the tool, with a default made from its settings. */
export function toolId(kind: string, { id, vectorStoreName, indexName }: QueryToolOptions): string {
  return id ?? [kind, vectorStoreName, indexName, "Tool"].filter((part) => part !== undefined).join(" ");
}
