import { cosine } from "../vector-math.js";

/** The indexes of sentences that change the subject: their similarity to the previous one is below the threshold. */
export function findTopicChanges(vectors: readonly (readonly number[])[], threshold: number | undefined): number[] {
  const likeness = vectors.slice(1).map((vector, index) => cosine(vector, vectors[index] ?? []));
  const least = threshold ?? defaultThreshold(likeness);
  return likeness.flatMap((value, index) => (value < least ? [index + 1] : []));
}

/** One standard deviation below the mean. */
function defaultThreshold(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return mean - Math.sqrt(variance);
}
