import type { Work } from "../contender.js";
import { measureRounds } from "../measure/rounds.js";

export interface Comparison {
  readonly name: string;
  readonly baseline: Work;
  readonly variants: Readonly<Record<string, Work>>;
  /** How many operations (chunks, nodes, calls) one call of a work does; figures are given per operation. @default 1 */
  readonly operations?: number | undefined;
  /** Calls per sample of each. @default as many as fill 40 ms */
  readonly iterations?: number | undefined;
  /** How long a sample is, in milliseconds of CPU. @default 40 */
  readonly sampleMs?: number | undefined;
  /** @default 9 */
  readonly rounds?: number | undefined;
  /** The highest allowed ratio by variant; shown beside the measured one. */
  readonly budgets?: Readonly<Record<string, number>> | undefined;
  /** How many nanoseconds per operation a variant may take more than the baseline; shown likewise. */
  readonly extraBudgets?: Readonly<Record<string, number>> | undefined;
}

export interface Measured {
  readonly name: string;
  /** Median ratio to the baseline, by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Median nanoseconds per operation, by variant, the baseline as `baseline`. */
  readonly ns: Readonly<Record<string, number>>;
  readonly budgets: Readonly<Record<string, number>>;
  readonly extraBudgets: Readonly<Record<string, number>>;
}

/**
 * Measures variants against a baseline and prints a table.
 *
 * @example
 * await compare({ name: "sum", baseline: () => sumByHand(list), variants: { reduce: () => sumByReduce(list) } });
 */
export async function compare(comparison: Comparison): Promise<Measured> {
  const { name, baseline, variants, operations = 1, rounds = 9, budgets = {}, extraBudgets = {} } = comparison;
  const names = ["baseline", ...Object.keys(variants)];
  const works = [baseline, ...Object.values(variants)];
  const results = await measureRounds(works, { rounds, calls: comparison.iterations, sampleMs: comparison.sampleMs });
  const measured: Measured = {
    name,
    budgets,
    extraBudgets,
    ratios: Object.fromEntries(names.map((key, index) => [key, results[index]?.ratio ?? Number.NaN])),
    ns: Object.fromEntries(names.map((key, index) => [key, (results[index]?.ns ?? Number.NaN) / operations])),
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
