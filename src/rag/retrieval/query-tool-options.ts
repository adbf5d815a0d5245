import type { AnyEmbedder } from "../embedding/any-embedder.js";
import type { Filter } from "../vectors/filter.js";
import type { QueryResult } from "../vectors/vector-store.js";
import type { GraphRAGOptions } from "./graph-rag.js";
import type { Reranker } from "./rerank.js";

/** The part of a vector store that the query tools use. `VectorStore` and the stores of Mastra implement it. */
export interface QueryableStore {
  /** Returns the entries that fit a vector, a text or a filter. */
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
  /** The id of the entry. */
  readonly id: string;
  /** The score: the higher, the better. */
  readonly score: number;
  /** The text of the entry. */
  readonly document?: string | undefined;
  /** The metadata of the entry. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The vector of the entry, if it was asked for. */
  readonly vector?: readonly number[] | undefined;
}

/** The common options of both query tools. Values of the same name in the request context take precedence. */
export interface QueryToolOptions {
  /** The name of the tool. @default derived from the names of the store and the index */
  readonly id?: string | undefined;
  /** The description that the model reads. */
  readonly description?: string | undefined;
  /** Embeds the query text. Without it, the store searches for the words of the text. */
  readonly model?: AnyEmbedder | undefined;
  /** The name of the store, a key of `vectorStores` or a name that `mastra` knows. */
  readonly vectorStoreName?: string | undefined;
  /** The name of the index. */
  readonly indexName?: string | undefined;
  /** The stores, by their names. */
  readonly vectorStores?: Readonly<Record<string, QueryableStore>> | undefined;
  /** Looks up stores that are not in `vectorStores`. @default the `Mastra` of the agent or workflow that calls the tool */
  readonly mastra?:
    | {
        getVector(name: string): QueryableStore | undefined;
        listVectors?(): Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
  /** How many results the tool returns. @default 10 */
  readonly topK?: number | undefined;
  /** A filter for all results, in addition to that of the model. An undefined filter is an error. */
  readonly filter?: Filter;
  /** Whether the model may pass a filter, also without a text. @default false */
  readonly enableFilter?: boolean | undefined;
  /** Whether the result includes `sources`. @default true */
  readonly includeSources?: boolean | undefined;
}

/** Options of `createVectorQueryTool`. */
export interface VectorQueryToolOptions extends QueryToolOptions {
  /** Reorders the results, such as one made with `rerank`. */
  readonly reranker?: Reranker | undefined;
}

/** Options of `createGraphRAGTool`. */
export interface GraphRAGToolOptions extends QueryToolOptions {
  /** Embeds the query text. */
  readonly model: AnyEmbedder;
  /** How entries are connected and ranked; `randomWalkSteps` and `restartProb` can also come from the input or the request context. */
  readonly graphOptions?: GraphRAGOptions | undefined;
}

/** The result of both query tools. The model sees only `text`. */
export interface QueryToolResult {
  /** The texts found, best first. */
  readonly relevantContext: readonly string[];
  /** The same texts with their numbers, `[1]`, `[2]` and so on, which the model can cite: `[n]` is `sources[n - 1]`. */
  readonly text: string;
  /** The full results; empty if `includeSources` is `false`. */
  readonly sources: readonly QueryResult[];
}

export const queryToolNames: readonly string[] = [
  ...["id", "description", "model", "vectorStoreName", "indexName", "vectorStores", "mastra"],
  ...["topK", "filter", "enableFilter", "includeSources"],
];

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

export function toolId(kind: string, { id, vectorStoreName, indexName }: QueryToolOptions): string {
  return id ?? [kind, vectorStoreName, indexName, "Tool"].filter((part) => part !== undefined).join(" ");
}
