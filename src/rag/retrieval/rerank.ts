import type { NodeContext } from "../../components/context.js";
import type { AgenticModel } from "../../components/model.js";
import { endsRun, KumikoError, messageOf } from "../../errors.js";
import type { Document } from "../../schema/document.js";
import { concurrently } from "../concurrently.js";
import { invalidRagOption, invalidValue } from "../errors.js";
import { wholeContext } from "../lone-context.js";
import { askModelForJson } from "../model-answer.js";

/** Reorders documents by relevance to a query. */
export type Reranker = (
  query: string,
  documents: readonly Document[],
  ctx?: Partial<NodeContext>,
) => Promise<Document[]>;

/** The weights of the parts of a score. They need not add up to 1. */
export interface RerankWeights {
  /** The score that the model or the function gives. @default 0.4 */
  readonly semantic?: number | undefined;
  /** The score of the retriever, divided by the highest one if that is above 1. @default 0.4 */
  readonly vector?: number | undefined;
  /** The rank that the retriever gave. @default 0.2 */
  readonly position?: number | undefined;
}

/** Options of {@link rerank}. */
export interface RerankOptions {
  /** The model that scores how well each document answers the query. Set either this or `score`. */
  readonly model?: AgenticModel | undefined;
  /** Returns the score of a document without a model, from 0 to 1. */
  readonly score?: ((query: string, document: Document) => number | Promise<number>) | undefined;
  /** The weights of the parts of a score. */
  readonly weights?: RerankWeights | undefined;
  /** How many documents are returned. @default all */
  readonly topK?: number | undefined;
  /** Whether a failure throws. Otherwise the order is kept and handlers are notified (`onEvent`). @default false */
  readonly strict?: boolean | undefined;
}

/**
 * Makes a reranker from a model or a function.
 *
 * @example
 * const byModel = rerank({ model, topK: 5 });
 * const best = await byModel("What joins the wood?", [{ id: "a", content: "Joints without nails.", metadata: {} }]);
 */
export function rerank({ model, score, weights = {}, topK, strict = false }: RerankOptions): Reranker {
  if ((model === undefined) === (score === undefined))
    throw invalidRagOption("rerank needs either a model or a score function. Set exactly one of them.");
  if (topK !== undefined && (!Number.isInteger(topK) || topK < 1))
    throw invalidValue("topK", "a whole number of at least 1", topK);
  const shares = normalizedWeights(weights);
  return async (query, documents, given) => {
    const ctx = wholeContext(given);
    let semantic: number[] = [];
    try {
      // scores without a weight are not asked for
      if (shares.semantic > 0)
        semantic = await (model === undefined
          ? scoreEach(query, documents, score)
          : askScores(model, query, documents, ctx));
    } catch (cause) {
      if (ctx.signal.aborted || endsRun(cause)) throw cause;
      const error = new KumikoError("RETRIEVAL_FAILED", `Reranking the documents failed: ${messageOf(cause)}`, {
        cause,
      });
      if (strict) throw error;
      ctx.progress({ kind: "rerank_failed", error });
      return documents.slice(0, topK);
    }
    // the scores of a text search can be above 1, and must not outweigh the other parts
    const highest = documents.reduce((most, document) => Math.max(most, document.score ?? 0), 1);
    const ranked = documents.map((document, index) => {
      const position = 1 - index / documents.length;
      const value =
        shares.semantic * (semantic[index] ?? 0) +
        shares.vector * ((document.score ?? 0) / highest) +
        shares.position * position;
      return { ...document, score: value };
    });
    return ranked.sort((one, other) => other.score - one.score).slice(0, topK);
  };
}

function normalizedWeights({ semantic = 0.4, vector = 0.4, position = 0.2 }: RerankWeights) {
  const sum = semantic + vector + position;
  if (![semantic, vector, position].every((weight) => weight >= 0) || !(sum > 0) || !Number.isFinite(sum))
    throw invalidValue("weights", "numbers of at least 0, not all 0", { semantic, vector, position });
  return { semantic: semantic / sum, vector: vector / sum, position: position / sum };
}

async function scoreEach(
  query: string,
  documents: readonly Document[],
  score: RerankOptions["score"],
): Promise<number[]> {
  const values = await Promise.all(documents.map((document) => score?.(query, document)));
  return values.map((value) => {
    if (typeof value === "number" && value >= 0 && value <= 1) return value;
    throw invalidValue("The result of score", "a number from 0 to 1", value);
  });
}

const perCall = 10;
const concurrency = 4;

async function askScores(
  model: AgenticModel,
  query: string,
  documents: readonly Document[],
  ctx: NodeContext,
): Promise<number[]> {
  const scores = new Array<number>(documents.length).fill(0);
  const starts = Array.from({ length: Math.ceil(documents.length / perCall) }, (_, index) => index * perCall);
  await concurrently(starts, concurrency, async (start) => {
    const part = documents.slice(start, start + perCall);
    const answer = await askModelForJson(model, questionFor(query, part), scoresSchema(part.length), { ctx });
    for (const [index, value] of (answer as { scores: number[] }).scores.entries()) scores[start + index] = value;
  });
  return scores;
}

function questionFor(query: string, documents: readonly Document[]): string {
  const texts = documents.map(({ content }, index) => `Text ${index + 1}:\n${content}`);
  return `How well does each of these ${documents.length} texts answer the question, from 0 (not at all) to 1 (fully)?\n\nQuestion: ${query}\n\n${texts.join("\n\n")}`;
}

function scoresSchema(count: number) {
  const item = { type: "number", minimum: 0, maximum: 1 };
  return {
    type: "object",
    properties: { scores: { type: "array", items: item, minItems: count, maxItems: count } },
    required: ["scores"],
  };
}
