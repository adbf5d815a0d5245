import type { NodeContext } from "../../components/context.js";
import type { Indexer, Retriever, RetrieverOptions } from "../../components/retrieval.js";
import { type Document, denseVectorOf, withScore } from "../../schema/document.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import { invalidValue } from "../errors.js";
import type { Filter } from "../vectors/filter.js";
import { fuseRanks } from "../vectors/fuse-ranks.js";
import { compareHits } from "../vectors/top-results.js";
import type { QueryResult, VectorStore } from "../vectors/vector-store.js";
import type { Reranker } from "./rerank.js";

/** Options of {@link vectorIndexer}. */
export interface VectorIndexerOptions {
  /** The name of an existing index; a call can select another one. */
  readonly index: string;
  readonly embedder: AnyEmbedder;
}

/**
 * A node that writes documents to an index of a vector store. Documents that already have an embedding are not embedded again.
 *
 * @example
 * const indexer = vectorIndexer(memoryVectors(), { index: "docs", embedder });
 */
export function vectorIndexer(store: VectorStore, { index, embedder }: VectorIndexerOptions): Indexer {
  return {
    component: "indexer",
    type: "VectorIndexer",
    store: async (documents, ctx) => {
      const missing = documents.filter((document) => denseVectorOf(document) === undefined);
      const made = await embedTexts(
        embedder,
        missing.map(({ content }) => content),
        {},
        ctx,
      );
      const vectors = new Map(missing.map((document, at) => [document, made[at] ?? []]));
      return store.upsert({
        indexName: ctx?.options?.index ?? index,
        ids: documents.map(({ id }) => id),
        documents: documents.map(({ content }) => content),
        metadata: documents.map(({ metadata: { _dense_vector, ...metadata } }) => metadata),
        vectors: documents.map((document) => vectors.get(document) ?? denseVectorOf(document) ?? []),
      });
    },
  };
}

/** Options of hybrid search. */
export interface HybridOptions {
  /** The weight of vector search, from 0 to 1; text search gets the rest. @default 0.5 */
  readonly weight?: number | undefined;
  /** The smoothing constant: the larger, the less the top ranks dominate. @default 60 */
  readonly k?: number | undefined;
}

/** Options of {@link vectorRetriever}. */
export interface VectorRetrieverOptions {
  /** The name of the index; a call can select another one. */
  readonly index: string;
  readonly embedder: AnyEmbedder;
  /** @default 10 */
  readonly topK?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Whether to combine vector search with text search. @default false */
  readonly hybrid?: boolean | HybridOptions | undefined;
  /** Reorders the results, such as one made with `rerank`. */
  readonly rerank?: Reranker | undefined;
}

/** A retriever that can also be called directly, without a run. */
export interface QueryRetriever extends Retriever {
  readonly retrieve: Retriever["retrieve"] & ((query: string) => Promise<Document[]>);
}

/**
 * A node that finds documents in an index of a vector store. Read their scores with `scoreOf(document)`.
 *
 * @example
 * const retriever = vectorRetriever(memoryVectors(), { index: "docs", embedder, topK: 5, filter: { lang: "en" } });
 */
export function vectorRetriever(store: VectorStore, options: VectorRetrieverOptions): QueryRetriever {
  const { index, embedder, filter, hybrid = false, rerank } = options;
  checkHybrid(hybrid);
  return {
    component: "retriever",
    type: "VectorRetriever",
    retrieve: async (query: string, ctx?: NodeContext<unknown, RetrieverOptions>) => {
      const { index: indexName = index, topK = options.topK ?? 10, scoreThreshold } = ctx?.options ?? {};
      const [queryVector] = await embedTexts(embedder, [query], {}, ctx);
      const search: VectorSearch = { store, indexName, queryVector: queryVector ?? [], query, topK, filter };
      const found = hybrid === false ? await nearest(search) : await findBoth(search, hybrid === true ? {} : hybrid);
      const documents = found.map(documentOfResult);
      const ordered = rerank === undefined ? documents : await rerank(query, documents, ctx);
      return scoreThreshold === undefined
        ? ordered
        : ordered.filter(({ metadata: { _score } }) => typeof _score === "number" && _score >= scoreThreshold);
    },
  };
}

function checkHybrid(hybrid: boolean | HybridOptions): void {
  if (typeof hybrid === "boolean") return;
  const { weight = 0.5, k = 60 } = hybrid;
  if (!(weight >= 0 && weight <= 1)) throw invalidValue("hybrid.weight", "a number from 0 to 1", weight);
  if (!(k > 0)) throw invalidValue("hybrid.k", "a number above 0", k);
}

interface VectorSearch {
  readonly store: VectorStore;
  readonly indexName: string;
  readonly queryVector: readonly number[];
  readonly query: string;
  readonly topK: number;
  readonly filter: Filter | undefined;
}

function nearest({ store, indexName, queryVector, topK, filter }: VectorSearch): Promise<QueryResult[]> {
  return store.query({ indexName, queryVector, topK, filter });
}

async function findBoth(search: VectorSearch, { weight = 0.5, k }: HybridOptions): Promise<QueryResult[]> {
  const { store, indexName, query, topK, filter } = search;
  const pool = Math.min(4_096, Math.max(100, topK * 4));
  const [byVector, byWords] = await Promise.all([
    nearest({ ...search, topK: pool }),
    store.query({ indexName, queryText: query, topK: pool, filter }),
  ]);
  const lists = [
    { items: byVector, weight },
    { items: byWords, weight: 1 - weight },
  ];
  return fuseRanks(lists, k)
    .map(({ item, score }) => ({ ...item, score }))
    .sort(compareHits)
    .slice(0, topK);
}

export function documentOfResult({ id, score, document, metadata }: QueryResult): Document {
  return withScore({ id, content: document, metadata }, score);
}
