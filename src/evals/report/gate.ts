import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { kindOf, list } from "../../wording.js";
import { invalidEvalOption } from "../errors.js";
import { compare } from "./compare.js";
import { checkReport, type Report, type ScorerSummary } from "./report.js";

/** What a scorer must reach: its rate, or several numbers. */
export type GateLimit =
  | number
  | {
      /** The least rate. */
      readonly rate?: number | undefined;
      /** The least mean score. */
      readonly mean?: number | undefined;
      /** The least lower end of the interval of the rate. */
      readonly low?: number | undefined;
    };

/**
 * Says what is wrong with a report, a sentence each; an empty list passes. Unscored results, unknown scorers and a report without
 * cases are wrong too. With a report of before, also a scorer that got worse with `p` below 0.05.
 *
 * @example
 * const exact = evaluate({ run: async ({ input }) => input, scorers: { exact: ({ output, expected }) => output === expected } });
 * const report = await exact.invoke([{ input: "a", expected: "a" }]);
 * console.log(gate(report, { exact: 0.9 })); // []
 */
export function gate(report: Report, limits: Readonly<Record<string, GateLimit>>, before?: Report): string[] {
  checkReport("The report of gate", report);
  if (before !== undefined) checkReport("The report of before, for gate,", before);
  if (!isFields(limits)) throw invalidEvalOption(`The limits of gate must be a record (got ${kindOf(limits)}).`);
  const checked = Object.entries(limits).map(([name, limit]) => [name, checkedLimit(name, limit)] as const);
  if (report.results.length === 0) return [`The report "${report.name}" has no cases.`];
  const wrong = checked.flatMap(([name, limit]) => {
    const summary = Object.hasOwn(report.scores, name) ? report.scores[name] : undefined;
    if (summary !== undefined) return problemsOf(name, summary, limit);
    return [`There is no scorer "${name}". Scorers: ${list(Object.keys(report.scores))}.`];
  });
  return before === undefined ? wrong : [...wrong, ...gotWorse(before, report)];
}

const fields = ["rate", "mean", "low"] as const;
type Limit = Readonly<Partial<Record<(typeof fields)[number], number | undefined>>>;

function checkedLimit(name: string, given: unknown): Limit {
  const where = `limits["${name}"] of gate`;
  const limit = typeof given === "number" ? { rate: given } : given;
  if (!isFields(limit))
    throw invalidEvalOption(`${where} must be a number or { rate, mean, low } (got ${kindOf(given)}).`);
  const fromZeroToOne = [
    (value: unknown) => typeof value === "number" && value >= 0 && value <= 1,
    "a number from 0 to 1",
  ] as const;
  checkOptions(where, limit, { rate: fromZeroToOne, mean: fromZeroToOne, low: fromZeroToOne });
  return limit;
}

function problemsOf(name: string, summary: ScorerSummary, limit: Limit): string[] {
  const { unscored, cases, rateInterval, rate, mean } = summary;
  const reached = { rate, mean, low: rateInterval[0] };
  const wrong: string[] = [];
  if (unscored > 0) wrong.push(`${name}: ${unscored} ${unscored === 1 ? "result is" : "results are"} unscored.`);
  if (cases === 0) wrong.push(`${name}: no case has a score.`);
  for (const field of fields) {
    const least = limit[field];
    if (least === undefined || cases === 0 || reached[field] >= least) continue;
    const what = field === "low" ? "the lower end of the rate's interval" : `the ${field}`;
    wrong.push(`${name}: ${what} is ${shown(reached[field])}, and must be at least ${shown(least)}.`);
  }
  return wrong;
}

function gotWorse(before: Report, report: Report): string[] {
  return Object.entries(compare(before, report)).flatMap(([name, { p, worse, better, cases }]) => {
    if (p >= 0.05 || worse.length <= better.length) return [];
    const ids = worse.slice(0, 20).join(", ") + (worse.length > 20 ? ", …" : "");
    return [
      `${name} got worse: ${worse.length} of ${cases} cases no longer pass, ${better.length} do now (p = ${shown(p)}). Worse: ${ids}.`,
    ];
  });
}

/** A number with as many digits as it needs. */
function shown(value: number): string {
  return String(Number(value.toPrecision(3)));
}
