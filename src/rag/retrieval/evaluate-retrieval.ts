import type { Retriever, RetrieverOptions } from "../../components/retrieval.js";
import type { Document } from "../../schema/document.js";
import { concurrently } from "../concurrently.js";
import { invalidValue } from "../errors.js";
import { contextFor } from "../lone-context.js";

/** A query and its relevant documents. */
export interface RetrievalCase {
  /** The text to search for. */
  readonly query: string;
  /** The ids of the relevant documents, or a function that recognizes them. */
  readonly relevant: readonly string[] | ((document: Document) => boolean);
}

/** Options of {@link evaluateRetrieval}. */
export interface EvaluateOptions {
  /** The retriever to evaluate. */
  readonly retriever: Retriever;
  /** The queries, with the documents that they should find. */
  readonly cases: readonly RetrievalCase[];
  /** How many of the retrieved documents count, per query. */
  readonly k: number;
  /** The maximum number of concurrent queries. @default 4 */
  readonly concurrency?: number | undefined;
}

/** The result of one query of an evaluation. */
export interface CaseResult {
  /** The text that was searched for. */
  readonly query: string;
  /** The fraction of relevant documents that were found. If `relevant` is a function: 1 if any was found, else 0. */
  readonly recall: number;
  /** 1 divided by the rank of the first relevant document; 0 if none was found. */
  readonly reciprocalRank: number;
  /** The ids of the documents that were found, the best first. */
  readonly found: readonly string[];
}

/** The result of {@link evaluateRetrieval}. */
export interface RetrievalReport {
  /** The mean of the recalls. */
  readonly recall: number;
  /** The mean of the reciprocal ranks. */
  readonly mrr: number;
  /** The result of each query. */
  readonly cases: readonly CaseResult[];
}

/**
 * Measures how well a retriever finds the relevant documents: recall@k and mean reciprocal rank.
 *
 * @example
 * const retriever = vectorRetriever(memoryVectors(), { index: "docs", embedder });
 * const { recall, mrr } = await evaluateRetrieval({ retriever, k: 5, cases: [{ query: "nails?", relevant: ["guide:0-40"] }] });
 */
export async function evaluateRetrieval({
  retriever,
  cases,
  k,
  concurrency = 4,
}: EvaluateOptions): Promise<RetrievalReport> {
  if (!Number.isInteger(k) || k < 1) throw invalidValue("k", "a whole number of at least 1", k);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw invalidValue("concurrency", "a whole number of at least 1", concurrency);
  if (cases.length === 0) throw invalidValue("cases", "a list of at least one case", cases);
  const results = new Array<CaseResult>(cases.length);
  await concurrently(cases, concurrency, async (one, index) => {
    const options: RetrieverOptions = { topK: k };
    const documents = await retriever.retrieve(one.query, contextFor(undefined, options));
    results[index] = evaluateCase(one, documents.slice(0, k));
  });
  const mean = (read: (result: CaseResult) => number): number =>
    results.reduce((sum, result) => sum + read(result), 0) / results.length;
  return { recall: mean(({ recall }) => recall), mrr: mean(({ reciprocalRank }) => reciprocalRank), cases: results };
}

function evaluateCase({ query, relevant }: RetrievalCase, documents: readonly Document[]): CaseResult {
  const isRelevant = typeof relevant === "function" ? relevant : ({ id }: Document) => relevant.includes(id);
  const hits = documents.filter(isRelevant);
  const first = documents.findIndex(isRelevant);
  const wanted = typeof relevant === "function" ? 1 : new Set(relevant).size;
  return {
    query,
    recall: wanted === 0 ? 1 : Math.min(1, new Set(hits.map(({ id }) => id)).size / wanted),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    found: documents.map(({ id }) => id),
  };
}
