import type { UpsertVectorsOptions } from "kumiko/rag";

const count = 300;

/** Entries which all say in their document, metadata and vector in which round they were written. */
export function roundOf(round: number): Omit<UpsertVectorsOptions, "indexName"> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return {
    ids: numbers.map((index) => `id${index}`),
    vectors: numbers.map(() => vectorOf(round)),
    documents: numbers.map(() => `round${round}`),
    metadata: numbers.map(() => ({ round })),
  };
}

export const vectorOf = (round: number): number[] => [1, round + 1, 0, 0, 0, 0, 0, 0];
