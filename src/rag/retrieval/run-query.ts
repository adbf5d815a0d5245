import type { NodeContext } from "../../components/context.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import { missingSetting } from "../errors.js";
import { mostResults } from "../vectors/requests.js";
import type { QueryResult } from "../vectors/vector-store.js";
import { GraphRAG, type GraphRAGOptions } from "./graph-rag.js";
import { type QueryInput, type QuerySettings, readQuerySettings } from "./query-settings.js";
import type { GraphRAGToolOptions, QueryToolResult, StoreHit, VectorQueryToolOptions } from "./query-tool-options.js";
import type { Reranker } from "./rerank.js";

/** Runs a call of the vector query tool. */
export async function runVectorQuery(
  options: VectorQueryToolOptions,
  input: QueryInput,
  ctx: NodeContext,
): Promise<QueryToolResult> {
  const settings = readQuerySettings(options, input, ctx);
  const { queryText, topK } = settings;
  if (queryText === undefined) return resultWith(settings, await queryStore(settings, { topK }));
  const found = await queryStore(settings, { topK, ...(await questionOf(queryText, options.model, ctx)) });
  const { reranker } = options;
  const ordered = reranker === undefined ? found : await reorder(found, reranker, { query: queryText, ctx });
  return resultWith(settings, ordered);
}

/** Runs a call of the graph tool. */
export async function runGraphQuery(
  options: GraphRAGToolOptions,
  input: QueryInput,
  ctx: NodeContext,
): Promise<QueryToolResult> {
  const settings = readQuerySettings(options, input, ctx);
  const { topK, queryText } = settings;
  if (queryText === undefined) throw missingSetting("queryText");
  const graph = new GraphRAG(graphOptionsOf(options.graphOptions ?? {}, settings));
  const pool = Math.max(50, Math.min(mostResults, 5 * topK), topK);
  const [queryVector = []] = await embedTexts(options.model, [queryText], {}, ctx);
  const found = await queryStore(settings, { queryVector, topK: pool, includeVector: true });
  return resultWith(settings, graph.rank(found, { queryVector, topK }));
}

function resultWith({ includeSources }: QuerySettings, found: readonly QueryResult[]): QueryToolResult {
  const relevantContext = found.map(({ document }) => document);
  const text = relevantContext.map((document, index) => `[${index + 1}] ${document}`).join("\n\n");
  return { relevantContext, text, sources: includeSources ? found : [] };
}

function graphOptionsOf(options: GraphRAGOptions, { pick }: QuerySettings): GraphRAGOptions {
  const given = (name: "randomWalkSteps" | "restartProb"): number | undefined =>
    (pick(name) as number | undefined) ?? options[name];
  return { ...options, randomWalkSteps: given("randomWalkSteps"), restartProb: given("restartProb") };
}

interface StoreQuery {
  readonly topK: number;
  readonly queryVector?: number[];
  readonly queryText?: string;
  readonly includeVector?: boolean;
}

/** The query for a store: a vector if there is a model, otherwise words. */
async function questionOf(
  queryText: string,
  model: AnyEmbedder | undefined,
  ctx: NodeContext,
): Promise<Pick<StoreQuery, "queryVector" | "queryText">> {
  if (model === undefined) return { queryText };
  const [queryVector = []] = await embedTexts(model, [queryText], {}, ctx);
  return { queryVector };
}

async function queryStore({ store, indexName, filter }: QuerySettings, asking: StoreQuery): Promise<QueryResult[]> {
  const hits = await store.query({ indexName, ...asking, ...(filter === undefined ? {} : { filter }) });
  return hits.map(resultOf);
}

function resultOf({ id, score, document, metadata = {}, vector }: StoreHit): QueryResult {
  const text = document ?? metadata.text;
  const result = { id, score, document: typeof text === "string" ? text : "", metadata };
  return vector === undefined ? result : { ...result, vector: [...vector] };
}

async function reorder(
  found: readonly QueryResult[],
  reranker: Reranker,
  { query, ctx }: { readonly query: string; readonly ctx: NodeContext },
): Promise<QueryResult[]> {
  const documents = found.map(({ id, score, document, metadata }) => ({
    id,
    content: document,
    metadata,
    score,
  }));
  const results = new Map(found.map((result) => [result.id, result]));
  return (await reranker(query, documents, ctx)).flatMap((document) => {
    const result = results.get(document.id);
    return result === undefined ? [] : [{ ...result, score: document.score ?? result.score }];
  });
}
