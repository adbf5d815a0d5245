import { checkOptions } from "../../check-options.js";
import type { NodeContext } from "../../components/context.js";
import type { Indexer, IndexerOptions, Retriever, RetrieverOptions } from "../../components/retrieval.js";
import type { Document } from "../../schema/document.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import { documentNotEmbedded, invalidRagOption, invalidValue } from "../errors.js";
import { contextOfCall, indexerCall, type PartialContext, retrieverCall } from "../lone-context.js";
import { undefinedSelection } from "../vectors/errors.js";
import { checkDefined, type Filter } from "../vectors/filter.js";
import { fuseRanks } from "../vectors/fuse-ranks.js";
import { mostResults } from "../vectors/requests.js";
import { compareHits } from "../vectors/top-results.js";
import type { CreateIndexOptions, QueryOptions, QueryResult, VectorStore } from "../vectors/vector-store.js";
import type { Reranker } from "./rerank.js";

/** Options of {@link vectorIndexer}. */
export interface VectorIndexerOptions {
  /**
   * The name of an existing index, or the settings of one that is created if there is none. A call can select another index,
   * which must exist.
   */
  readonly index: string | CreateIndexOptions;
  /** Embeds documents that have no embedding yet. Leave it out for an index of words only. */
  readonly embedder?: AnyEmbedder | undefined;
}

/** An indexer that can also be called directly, without a run. */
export interface DocumentIndexer extends Indexer {
  /** Stores the documents and returns their ids. */
  readonly store: Indexer["store"] &
    ((documents: readonly Document[], ctx?: Partial<NodeContext<unknown, IndexerOptions>>) => Promise<string[]>);
}

/**
 * A node that writes documents to an index of a vector store. Documents that already have an embedding are not embedded again.
 * Without an embedder and embeddings, only their words are written, for an index without a dimension.
 *
 * @example
 * const indexer = vectorIndexer(memoryVectors(), { index: "docs", embedder });
 * const wordIndexer = vectorIndexer(memoryVectors(), { index: { indexName: "notes" } });
 */
export function vectorIndexer(store: VectorStore, options: VectorIndexerOptions): DocumentIndexer {
  checkOptions("vectorIndexer", options, ["index", "embedder"]);
  const { index, embedder } = options;
  const indexName = typeof index === "string" ? index : index.indexName;
  return {
    component: "indexer",
    type: "VectorIndexer",
    store: async (documents: readonly Document[], ctx?: PartialContext<IndexerOptions>) => {
      const context = contextOfCall(ctx, indexerCall);
      const vectors = await vectorsOf(documents, embedder, context);
      const selected = context.options?.index;
      if (selected === undefined && typeof index !== "string") await store.createIndex(index);
      return store.upsert({
        indexName: selected ?? indexName,
        ids: documents.map(({ id }) => id),
        documents: documents.map(({ content }) => content),
        metadata: documents.map(({ metadata }) => metadata),
        ...(vectors === undefined ? {} : { vectors }),
      });
    },
  };
}

/** A vector for each document; `undefined` if there are only words. */
async function vectorsOf(
  documents: readonly Document[],
  embedder: AnyEmbedder | undefined,
  ctx: NodeContext<unknown, unknown>,
): Promise<(readonly number[])[] | undefined> {
  const missing = documents.filter(({ denseVector }) => denseVector === undefined);
  const [first] = missing;
  if (embedder === undefined) {
    if (missing.length === documents.length) return undefined;
    if (first !== undefined) throw documentNotEmbedded(first.id);
  }
  const texts = missing.map(({ content }) => content);
  const made = embedder === undefined ? [] : await embedTexts(embedder, texts, {}, ctx);
  const vectors = new Map(missing.map((document, at) => [document, made[at] ?? []]));
  return documents.map((document) => vectors.get(document) ?? document.denseVector ?? []);
}

/** Options of hybrid search. */
export interface HybridOptions {
  /**
   * The weight of vector search, from 0 to 1; text search gets the rest. With 0, nothing is embedded; with 1, no words are
   * searched. @default 0.5
   */
  readonly weight?: number | undefined;
  /** The smoothing constant: the larger, the less the top ranks dominate. @default 60 */
  readonly k?: number | undefined;
}

/** Options of {@link vectorRetriever}. */
export type VectorRetrieverOptions = EmbeddedRetrieverOptions | WordRetrieverOptions;

interface CommonRetrieverOptions {
  /** The name of the index; a call can select another one. */
  readonly index: string;
  /** How many documents are returned. @default 10 */
  readonly topK?: number | undefined;
  /** A condition on the metadata of documents. Leave it out to search all of them: an undefined filter is an error. */
  readonly filter?: Filter;
  /** Reorders the results, such as one made with `rerank`. */
  readonly rerank?: Reranker | undefined;
}

/** Options for finding documents by vectors, or by vectors and words. */
export interface EmbeddedRetrieverOptions extends CommonRetrieverOptions {
  /** Embeds the query. */
  readonly embedder: AnyEmbedder;
  /** Whether to combine vector search with text search. @default false */
  readonly hybrid?: boolean | HybridOptions | undefined;
}

/** Options for finding documents by words only. */
export interface WordRetrieverOptions extends CommonRetrieverOptions {
  /** Not possible here: the index is searched by words. */
  readonly embedder?: undefined;
  /** Not possible here: the index is searched by words. */
  readonly hybrid?: false | undefined;
}

/**
 * A retriever that can also be called directly, without a run. Options of a call are fields of `options`:
 * `retrieve("tea", { options: { topK: 3 } })`.
 */
export interface QueryRetriever extends Retriever {
  /** Returns the documents that fit a query. */
  readonly retrieve: Retriever["retrieve"] &
    ((query: string, ctx?: Partial<NodeContext<unknown, RetrieverOptions>>) => Promise<Document[]>);
}

/**
 * A node that finds documents in an index of a vector store: by vectors if there is an embedder, otherwise by words. For a blank
 * query, it returns the documents that match the filter, by id. Each document has its `score`.
 *
 * @example
 * const retriever = vectorRetriever(memoryVectors(), { index: "docs", embedder, topK: 5, filter: { lang: "en" } });
 * const byWords = vectorRetriever(memoryVectors(), { index: "notes" });
 */
export function vectorRetriever(store: VectorStore, options: VectorRetrieverOptions): QueryRetriever {
  checkOptions("vectorRetriever", options, ["index", "topK", "filter", "rerank", "embedder", "hybrid"], {
    hint: (name) => (name === "indexName" ? 'Did you mean "index"?' : ""),
  });
  if (typeof options.index !== "string")
    throw invalidValue("index of vectorRetriever", "the name of an index", options.index);
  const { rerank } = options;
  const search = searchOf(options);
  return {
    component: "retriever",
    type: "VectorRetriever",
    retrieve: async (query: string, ctx?: PartialContext<RetrieverOptions>) => {
      if (typeof query !== "string") throw invalidValue("The query", "a string", query);
      const context = contextOfCall(ctx, retrieverCall);
      const { index: indexName = options.index, topK = options.topK ?? 10, scoreThreshold } = context.options ?? {};
      const isFilterAlone = query.trim() === "" && search.selection.filter !== undefined;
      const call: SearchCall = { store, query, options: { indexName, topK, ...search.selection } };
      const found = await (isFilterAlone ? store.query(call.options) : find(call, search, context));
      const documents = found.map(documentOfResult);
      const ordered = rerank === undefined || isFilterAlone ? documents : await rerank(query, documents, context);
      return scoreThreshold === undefined
        ? ordered
        : ordered.filter(({ score }) => score !== undefined && score >= scoreThreshold);
    },
  };
}

/** How a retriever searches. */
interface Search {
  readonly selection: Pick<QueryOptions, "filter">;
  readonly embedder: AnyEmbedder | undefined;
  /** The weight of vector search, from 0 to 1. */
  readonly weight: number;
  /** The smoothing constant of the fusion; `undefined` for a single search, whose scores are kept. */
  readonly k: number | undefined;
}

function searchOf(options: VectorRetrieverOptions): Search {
  const { embedder, hybrid = false } = options;
  const { weight = 0.5, k = 60 } = hybrid === false ? { weight: embedder === undefined ? 0 : 1 } : fieldsOf(hybrid);
  if (!(weight >= 0 && weight <= 1)) throw invalidValue("hybrid.weight", "a number from 0 to 1", weight);
  if (!(k > 0)) throw invalidValue("hybrid.k", "a number above 0", k);
  if (embedder === undefined && weight > 0)
    throw invalidRagOption(
      "hybrid search of vectorRetriever needs an embedder. Set it, or leave hybrid out to search by words.",
    );
  return { selection: selectionOf("vectorRetriever", options), embedder, weight, k: hybrid === false ? undefined : k };
}

const fieldsOf = (hybrid: true | HybridOptions): HybridOptions => (hybrid === true ? {} : hybrid);

/** The filter of options, which may be absent but not undefined, at any depth. */
export function selectionOf(where: string, options: { readonly filter?: Filter }): { readonly filter?: Filter } {
  if (!("filter" in options)) return {};
  const { filter } = options;
  if (filter === undefined) throw undefinedSelection(where, "filter");
  checkDefined(filter);
  return { filter };
}

interface SearchCall {
  readonly store: VectorStore;
  readonly query: string;
  readonly options: QueryOptions & { readonly topK: number };
}

/** Runs the searches that have a weight. */
async function find(call: SearchCall, search: Search, ctx: PartialContext): Promise<QueryResult[]> {
  const { embedder, weight, k } = search;
  const { topK } = call.options;
  const isBoth = weight > 0 && weight < 1;
  const pool = isBoth ? Math.min(mostResults, Math.max(100, topK * 4)) : topK;
  const [byVector, byWords] = await Promise.all([
    weight > 0 && embedder !== undefined ? nearest(call, embedder, pool, ctx) : [],
    weight < 1 ? call.store.query({ ...call.options, queryText: call.query, topK: pool }) : [],
  ]);
  if (k === undefined) return [...byVector, ...byWords];
  const lists = [
    { items: byVector, weight },
    { items: byWords, weight: 1 - weight },
  ];
  return fuseRanks(lists, k)
    .map(({ item, score }) => ({ ...item, score }))
    .sort(compareHits)
    .slice(0, topK);
}

async function nearest(
  { store, query, options }: SearchCall,
  embedder: AnyEmbedder,
  topK: number,
  ctx: PartialContext,
): Promise<QueryResult[]> {
  const [queryVector = []] = await embedTexts(embedder, [query], {}, ctx);
  return store.query({ ...options, queryVector, topK });
}

export function documentOfResult({ id, score, document, metadata }: QueryResult): Document {
  return { id, content: document, metadata, score };
}
