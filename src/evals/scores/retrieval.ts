import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidEvalOption } from "../errors.js";
import type { Case, Scorer } from "./score.js";

/**
 * Scores a retriever: the share of the expected documents among the first `k`. `expected` is a list of their ids, or a function that
 * recognizes one: then it is 1 if any was found.
 *
 * @example
 * const retriever = vectorRetriever(memoryVectors(), { index: "docs", embedder });
 * const retrieval = evaluate({
 *   run: ({ input }, ctx) => retriever.retrieve(input, ctx),
 *   scorers: { recall: recallAt(5), rank: reciprocalRank(5) },
 * });
 */
export function recallAt(k: number): Scorer<Case, unknown> {
  checkCount("recallAt", k);
  return ({ output, expected }) => {
    const { hits, wanted } = hitsIn(output, expected, k);
    return wanted === 0 ? 1 : Math.min(1, new Set(hits.map(({ id }) => id)).size / wanted);
  };
}

/** Scores a retriever: 1 divided by the rank of the first expected document among the first `k`; 0 if none is there. */
export function reciprocalRank(k: number): Scorer<Case, unknown> {
  checkCount("reciprocalRank", k);
  return ({ output, expected }) => {
    const { first } = hitsIn(output, expected, k);
    return first < 0 ? 0 : 1 / (first + 1);
  };
}

function checkCount(where: string, k: unknown): void {
  if (Number.isInteger(k) && Number(k) >= 1) return;
  const shown = typeof k === "number" ? String(k) : kindOf(k);
  throw invalidEvalOption(`k of ${where} must be a whole number of at least 1 (got ${shown}).`);
}

interface Found {
  readonly id: unknown;
}

interface Hits {
  readonly hits: readonly Found[];
  readonly first: number;
  readonly wanted: number;
}

function hitsIn(output: unknown, expected: unknown, k: number): Hits {
  if (!Array.isArray(output)) throw new TypeError(`The output must be a list of documents (got ${kindOf(output)}).`);
  const found = output.slice(0, k).map((one: unknown): Found & { readonly one: unknown } => {
    return { id: isFields(one) ? one.id : one, one };
  });
  const isExpected = recognizerOf(expected);
  return {
    hits: found.filter(isExpected),
    first: found.findIndex(isExpected),
    wanted: Array.isArray(expected) ? new Set(expected).size : 1,
  };
}

function recognizerOf(expected: unknown): (found: Found & { readonly one: unknown }) => boolean {
  if (typeof expected === "function") return ({ one }) => expected(one) === true;
  if (Array.isArray(expected)) return ({ id }) => expected.includes(id);
  throw new TypeError(
    `expected must be a list of ids, or a function that recognizes a document (got ${kindOf(expected)}).`,
  );
}
