import { checkReport, type Report } from "./report.js";
import { bootstrap, type Interval, mcNemar, meanOf } from "./statistics.js";

/** How one scorer changed between two reports. */
export interface Comparison {
  /** How many cases both reports have. */
  readonly cases: number;
  /** The ids of cases that passed before, and do not any more. */
  readonly worse: readonly string[];
  /** The ids of cases that pass now, and did not before. */
  readonly better: readonly string[];
  /** How likely so uneven a change is by chance (McNemar's exact two-sided test). */
  readonly p: number;
  /** The mean change of the score. */
  readonly meanChange: number;
  /** The 95 % interval of the change (paired bootstrap). */
  readonly interval: Interval;
}

/**
 * Compares two reports case by case, by their ids. A case passes if at least half of its samples do. Cases and scorers of one report
 * only are not compared.
 *
 * @example
 * const cases = [{ id: "1", input: "Hello" }];
 * const scorers = { short: ({ output }: { output: string }) => output.length < 20 };
 * const before = await evaluate({ run: async ({ input }) => `${input}, dear customer!`, scorers }).invoke(cases);
 * const after = await evaluate({ run: async ({ input }) => `${input}!`, scorers }).invoke(cases);
 * console.log(compare(before, after).short);
 */
export function compare(before: Report, after: Report): Record<string, Comparison> {
  checkReport("The first argument of compare", before);
  checkReport("The second argument of compare", after);
  const names = Object.keys(before.scores).filter((name) => Object.hasOwn(after.scores, name));
  return Object.fromEntries(names.map((name) => [name, compareScorer(casesOf(before, name), casesOf(after, name))]));
}

interface ScoredCase {
  readonly score: number;
  readonly passes: boolean;
}

/** The cases of a report with a score. */
function casesOf({ results }: Report, scorer: string): ReadonlyMap<string, ScoredCase> {
  const samples = new Map<string, { readonly scores: number[]; passed: number }>();
  for (const { id, scores } of results) {
    const { score = null, passed = false } = scores[scorer] ?? {};
    if (score === null) continue;
    const known = samples.get(id) ?? { scores: [], passed: 0 };
    known.scores.push(score);
    if (passed) known.passed += 1;
    samples.set(id, known);
  }
  const read = ([id, { scores, passed }]: [string, { readonly scores: number[]; passed: number }]) =>
    [id, { score: meanOf(scores), passes: passed * 2 >= scores.length }] as const;
  return new Map([...samples].map(read));
}

function compareScorer(before: ReadonlyMap<string, ScoredCase>, after: ReadonlyMap<string, ScoredCase>): Comparison {
  const [worse, better, changes]: [string[], string[], number[]] = [[], [], []];
  for (const [id, then] of before) {
    const now = after.get(id);
    if (now === undefined) continue;
    changes.push(now.score - then.score);
    if (then.passes && !now.passes) worse.push(id);
    if (now.passes && !then.passes) better.push(id);
  }
  return {
    cases: changes.length,
    worse,
    better,
    p: mcNemar(worse.length, better.length),
    meanChange: meanOf(changes),
    interval: bootstrap(changes),
  };
}
