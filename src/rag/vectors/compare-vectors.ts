/** Compares a query with vectors stored back to back in one array. `places` are the indexes of those to compare. */
export type VectorComparison = (vectors: Float32Array, query: Float32Array, places: Uint32Array) => Float64Array;

/**
 * Calculates dot products, four at a time: as the sums do not depend on each other, this takes about half as long. Each sum is
 * exactly the same as if it were calculated alone.
 */
export const dotProducts: VectorComparison = (vectors, query, places) => {
  const { length } = query;
  const found = new Float64Array(places.length);
  for (let at = 0; at < places.length; at += 4) {
    const [first, second, third, fourth] = startsOf(places, at, length);
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let index = 0; index < length; index++) {
      const value = query[index] ?? 0;
      a += (vectors[first + index] ?? 0) * value;
      b += (vectors[second + index] ?? 0) * value;
      c += (vectors[third + index] ?? 0) * value;
      d += (vectors[fourth + index] ?? 0) * value;
    }
    write(found, at, [a, b, c, d]);
  }
  return found;
};

/** Calculates squared distances in the same way. */
export const squaredDistances: VectorComparison = (vectors, query, places) => {
  const { length } = query;
  const found = new Float64Array(places.length);
  for (let at = 0; at < places.length; at += 4) {
    const [first, second, third, fourth] = startsOf(places, at, length);
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let index = 0; index < length; index++) {
      const value = query[index] ?? 0;
      a += square((vectors[first + index] ?? 0) - value);
      b += square((vectors[second + index] ?? 0) - value);
      c += square((vectors[third + index] ?? 0) - value);
      d += square((vectors[fourth + index] ?? 0) - value);
    }
    write(found, at, [a, b, c, d]);
  }
  return found;
};

const square = (value: number): number => value * value;

type Four = readonly [number, number, number, number];

/** Where the next four vectors begin. If fewer are left, the last one is repeated. */
function startsOf(places: Uint32Array, at: number, length: number): Four {
  const last = places.length - 1;
  const startOf = (index: number): number => (places[Math.min(index, last)] ?? 0) * length;
  return [startOf(at), startOf(at + 1), startOf(at + 2), startOf(at + 3)];
}

/** Writes four results. Typed arrays ignore writes past their end. */
function write(found: Float64Array, at: number, [a, b, c, d]: Four): void {
  found[at] = a;
  found[at + 1] = b;
  found[at + 2] = c;
  found[at + 3] = d;
}
