/**
 * Interleaved rounds in one process: every round runs the baseline and each variant once, in alternating order, and takes
 * the ratio of their CPU times; the result is the median ratio over the rounds. Drift and noise that last longer than a
 * round therefore cancel out; a ratio is good to about ±10 %.
 */
export type Work = () => unknown;

export interface Comparison {
  readonly name: string;
  readonly baseline: Work;
  readonly variants: Readonly<Record<string, Work>>;
  /** How many operations (chunks, nodes, calls) one call of a work does; figures are given per operation. @default 1 */
  readonly operations?: number | undefined;
  /** Calls per sample. @default as many as the baseline needs for 40 ms */
  readonly iterations?: number | undefined;
  /** @default 9 */
  readonly rounds?: number | undefined;
  /** The highest allowed ratio by variant; shown beside the measured one. */
  readonly budgets?: Readonly<Record<string, number>> | undefined;
  /** How many nanoseconds per operation a variant may take more than the baseline; shown likewise. */
  readonly extraBudgets?: Readonly<Record<string, number>> | undefined;
}

export interface Measured {
  readonly name: string;
  /** Median ratio to the baseline, by variant. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Median nanoseconds per operation, by variant, the baseline as `baseline`. */
  readonly ns: Readonly<Record<string, number>>;
  readonly budgets: Readonly<Record<string, number>>;
  readonly extraBudgets: Readonly<Record<string, number>>;
}

const WARM_UP_MS = 350;
const SAMPLE_MS = 40;

/**
 * Measures variants against a baseline and prints a table.
 *
 * @example
 * await compare({ name: "sum", baseline: () => sumByHand(list), variants: { reduce: () => sumByReduce(list) } });
 */
export async function compare(comparison: Comparison): Promise<Measured> {
  const { name, baseline, variants, operations = 1, rounds = 9, budgets = {}, extraBudgets = {} } = comparison;
  const works: readonly (readonly [string, Work])[] = [["baseline", baseline], ...Object.entries(variants)];
  for (const [, work] of works) await warmUp(work);
  const iterations = comparison.iterations ?? (await iterationsFor(baseline));

  const samples = new Map<string, number[]>(works.map(([key]) => [key, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [key, work] of round % 2 === 0 ? works : works.toReversed()) {
      samples.get(key)?.push(await cpuMs(work, iterations));
    }
  }

  const base = samples.get("baseline") ?? [];
  const measured: Measured = {
    name,
    budgets,
    extraBudgets,
    ratios: Object.fromEntries(
      Object.keys(variants).map((key) => [key, median((samples.get(key) ?? []).map((ms, i) => ms / (base[i] ?? ms)))]),
    ),
    ns: Object.fromEntries(
      works.map(([key]) => [key, (median(samples.get(key) ?? []) * 1e6) / iterations / operations]),
    ),
  };
  printTable(measured);
  return measured;
}

/** The figures of one comparison as a table on the console. */
export function printTable(measured: Measured): void {
  const { name, ratios, ns } = measured;
  const width = Math.max(...Object.keys(ns).map((key) => key.length));
  console.log(`\n${name}`);
  for (const [key, nanoseconds] of Object.entries(ns)) {
    const [time, ratio] = [nanoseconds.toFixed(0).padStart(8), (ratios[key] ?? 1).toFixed(2).padStart(6)];
    console.log(`  ${key.padEnd(width)}  ${time} ns  ${ratio}×  ${verdictsOf(measured, key).join("  ")}`);
  }
}

function verdictsOf({ ratios, ns, budgets, extraBudgets }: Measured, key: string): string[] {
  const verdicts: string[] = [];
  const [ratio, budget] = [ratios[key], budgets[key]];
  if (ratio !== undefined && budget !== undefined) verdicts.push(ratio <= budget ? `≤ ${budget}` : `OVER ${budget}`);
  const [time = 0, base = 0, extra] = [ns[key], ns.baseline, extraBudgets[key]];
  if (extra !== undefined) verdicts.push(`${time - base <= extra ? "≤" : "OVER"} ${extra} ns more`);
  return verdicts;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** CPU milliseconds of this process, helper threads of the engine included, for so many calls one after another. */
async function cpuMs(work: Work, iterations: number): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < iterations; i++) {
    const result = work();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function warmUp(work: Work): Promise<void> {
  for (let spent = 0, calls = 1; spent < WARM_UP_MS; calls *= 2) spent += await cpuMs(work, calls);
}

async function iterationsFor(work: Work): Promise<number> {
  for (let calls = 1; ; calls *= 2) {
    const ms = await cpuMs(work, calls);
    if (ms >= SAMPLE_MS / 2) return Math.max(1, Math.round((calls * SAMPLE_MS) / ms));
  }
}
