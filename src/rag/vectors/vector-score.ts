import { cosine, dot } from "../vector-math.js";
import type { VectorMetric } from "./vector-store.js";

/** The similarity of two vectors; larger is better. */
export function vectorScore(metric: VectorMetric, one: ArrayLike<number>, other: ArrayLike<number>): number {
  switch (metric) {
    case "cosine":
      return cosine(one, other);
    case "dotproduct":
      return dot(one, other);
    case "euclidean":
      return 1 / (1 + distance(one, other));
    default:
      return metric satisfies never;
  }
}

function distance(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    sum += difference * difference;
  }
  return Math.sqrt(sum);
}
