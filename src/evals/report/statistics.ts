/** An interval of numbers. */
export type Interval = readonly [low: number, high: number];

/** The quantile of the normal distribution for 95 %. */
const z = 1.959963984540054;

/** The Wilson interval of a rate among `count` cases. */
export function wilson(rate: number, count: number): Interval {
  if (count === 0) return [0, 1];
  const square = z ** 2 / count;
  const middle = (rate + square / 2) / (1 + square);
  const half = (z * Math.sqrt((rate * (1 - rate)) / count + square / (4 * count))) / (1 + square);
  return [rate <= 0 ? 0 : Math.max(0, middle - half), rate >= 1 ? 1 : Math.min(1, middle + half)];
}

/** McNemar's exact two-sided test: how likely so uneven a split of the changed cases is by chance. */
export function mcNemar(worse: number, better: number): number {
  const count = worse + better;
  if (count === 0) return 1;
  // larger powers of 2 would vanish: their sum is kept relative to the largest term
  const [exponent, fewer] = [Math.min(count, 1_000), Math.min(worse, better)];
  let [term, sum, rest] = [2 ** -exponent, 0, count - exponent];
  for (let index = 0; index <= fewer; index++) {
    for (; rest > 0 && term > 1; rest--) [term, sum] = [term / 2, sum / 2];
    sum += term;
    term = (term * (count - index)) / (index + 1);
  }
  return Math.min(1, 2 * sum * 2 ** -rest);
}

const draws = 2_000;

/** The 95 % interval of a mean: a bootstrap with a fixed seed, so that it is the same each time. */
export function bootstrap(values: readonly number[]): Interval {
  if (values.length === 0) return [0, 0];
  const random = randomFrom(20_261_128);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let index = 0; index < values.length; index++) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((one, other) => one - other);
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.ceil(draws * 0.975) - 1] ?? 0];
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
