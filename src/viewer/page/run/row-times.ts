import type { ShownSpan } from "./run-model.js";

/** How many of the first items are at or before a time. They are in its order. */
export function countUntil<Item>(items: readonly Item[], time: number, timeOf: (item: Item) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(items[middle] as Item) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const itself = (time: number): number => time;

export const startOf = ({ start }: ShownSpan): number => start;

/** What is asked of the spans of a row at every moment, added up once: a run can have 10,000 of them. */
export class RowTimes {
  readonly #spans: readonly ShownSpan[];
  readonly #ends: readonly number[];
  readonly #retries: readonly number[];
  /** Sums of the first ones: of starts, of ends, and of questions. */
  readonly #starts: readonly number[];
  readonly #endSums: readonly number[];
  readonly #questions: readonly number[];

  constructor(spans: readonly ShownSpan[]) {
    this.#spans = spans;
    this.#ends = spans.map(({ end }) => end).sort(byTime);
    this.#retries = spans.flatMap(({ retries }) => retries.map(({ at }) => at)).sort(byTime);
    this.#starts = sumsOf(spans.map(startOf));
    this.#endSums = sumsOf(this.#ends);
    this.#questions = sumsOf(spans.map(({ status }) => Number(status === "waiting")));
  }

  /** How many have begun. */
  begun(time: number): number {
    return countUntil(this.#spans, time, startOf);
  }

  /** The last one that has begun. */
  last(time: number): ShownSpan | undefined {
    return this.#spans[this.begun(time) - 1];
  }

  /** How long they ran until then. */
  ms(time: number): number {
    const [begun, ended] = [this.begun(time), countUntil(this.#ends, time, itself)];
    const open = begun === ended ? 0 : (begun - ended) * time;
    return (this.#endSums[ended] ?? 0) + open - (this.#starts[begun] ?? 0);
  }

  /** A question that was answered later is only a part of the visit that came of it. */
  visits(time: number): number {
    const begun = this.begun(time);
    return begun - (this.#questions[begun - 1] ?? 0);
  }

  retries(time: number): number {
    return countUntil(this.#retries, time, itself);
  }
}

const known = new WeakMap<readonly ShownSpan[], RowTimes>();

export function timesOf(spans: readonly ShownSpan[]): RowTimes {
  const found = known.get(spans) ?? new RowTimes(spans);
  known.set(spans, found);
  return found;
}

function sumsOf(values: readonly number[]): number[] {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value);
  return sums;
}

function byTime(a: number, b: number): number {
  return a - b;
}
