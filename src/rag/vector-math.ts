export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

export function norm(vector: ArrayLike<number>): number {
  return Math.sqrt(dot(vector, vector));
}

/** From -1 to 1; 0 for a vector of zeros. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const lengths = norm(a) * norm(b);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot(a, b) / lengths));
}
