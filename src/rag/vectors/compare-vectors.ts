/** Compares a query with vectors that stand one after the other in a list; `places` says with which of them. */
export type VectorComparison = (vectors: Float32Array, query: Float32Array, places: Uint32Array) => Float64Array;

/**
 * The dot products. Four at a time take about half of the time, as none of them waits for the sum of another; each sum is
 * the same as by itself.
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

/** The squares of the distances, in the same way. */
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

/** Where the next four vectors begin. Where there are fewer, the last one stands for those that are missing. */
function startsOf(places: Uint32Array, at: number, length: number): Four {
  const last = places.length - 1;
  const startOf = (index: number): number => (places[Math.min(index, last)] ?? 0) * length;
  return [startOf(at), startOf(at + 1), startOf(at + 2), startOf(at + 3)];
}

/** What would stand behind the end of the list is lost. */
function write(found: Float64Array, at: number, [a, b, c, d]: Four): void {
  found[at] = a;
  found[at + 1] = b;
  found[at + 2] = c;
  found[at + 3] = d;
}
