import { messageOf } from "../../errors.js";
import { costOf, type ModelPrice } from "../../models/cost-of.js";
import type { TokenUsage } from "../../schema/message/agentic-message.js";
import type { ReadScore } from "../scores/score.js";
import { addUsage } from "../scores/usage.js";
import { toJson } from "../tape/plain-json.js";
import type { CaseResult, Report, ResultScore, ScorerSummary } from "./report.js";
import type { ScoredSample } from "./sample.js";
import { meanOf, wilson } from "./statistics.js";
import { summaryOf } from "./summary.js";

/** What a report is made of. */
export interface ReportParts {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly samples: readonly ScoredSample[];
  readonly scorers: readonly string[];
  readonly passAt: (scorer: string) => number;
  readonly prices: Readonly<Record<string, ModelPrice>> | undefined;
  /** How many calls got an answer of a tape again. */
  readonly reused: number;
}

export function makeReport(parts: ReportParts): Report {
  const { name, startedAt, endedAt, samples, scorers, prices } = parts;
  const results = samples.map((sample) => resultOf(sample, parts));
  const [run, judged]: Record<string, TokenUsage>[] = [{}, {}];
  for (const { ran, scores } of samples) {
    addUsage(run ?? {}, ran.usageByModel);
    for (const { usageByModel } of Object.values(scores)) addUsage(judged ?? {}, usageByModel);
  }
  const usageByModel = { run: run ?? {}, scorers: judged ?? {} };
  const priced = prices && costIn(usageByModel, prices);
  const report = {
    version: 1 as const,
    name,
    startedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    results,
    scores: Object.fromEntries(scorers.map((scorer) => [scorer, scorerSummary(scorer, results)])),
    usageByModel,
    ...(typeof priced === "number" && { cost: priced }),
  };
  const unpriced = typeof priced === "string" ? priced : undefined;
  return { ...report, summary: summaryOf(report, { unpriced, reused: parts.reused }) };
}

function resultOf({ id, sample, ran, scores }: ScoredSample, { passAt }: ReportParts): CaseResult {
  const read = Object.entries(scores).map(([name, score]) => [name, scoreOf(score, passAt(name))] as const);
  return {
    id,
    sample,
    output: toJson(ran.output) ?? null,
    ...(ran.error !== undefined && { error: ran.error }),
    scores: Object.fromEntries(read),
    durationMs: ran.durationMs,
    usageByModel: ran.usageByModel,
  };
}

function scoreOf({ score, reason, parts }: ReadScore, passAt: number): ResultScore {
  return {
    score,
    passed: score !== null && score >= passAt,
    ...(reason !== undefined && { reason }),
    ...(parts !== undefined && { parts }),
  };
}

/** The numbers of one scorer. Samples of a case count as one case. */
function scorerSummary(scorer: string, results: readonly CaseResult[]): ScorerSummary {
  const cases = new Map<string, ResultScore[]>();
  let unscored = 0;
  for (const { id, scores } of results) {
    const score = scores[scorer];
    if (score === undefined || score.score === null) unscored += 1;
    else cases.set(id, [...(cases.get(id) ?? []), score]);
  }
  const scored = [...cases.values()];
  const shares = scored.map((samples) => samples.filter(({ passed }) => passed).length / samples.length);
  const rate = meanOf(shares);
  return {
    cases: scored.length,
    unscored,
    mean: meanOf(scored.map((samples) => meanOf(samples.map(({ score }) => score ?? 0)))),
    rate,
    rateInterval: wilson(rate, scored.length),
    always: shares.filter((share) => share === 1).length,
    never: shares.filter((share) => share === 0).length,
  };
}

/** The cost of all tokens, or which price is missing. */
function costIn(
  { run, scorers }: Report["usageByModel"],
  prices: Readonly<Record<string, ModelPrice>>,
): number | string {
  try {
    return costOf(run, prices) + costOf(scorers, prices);
  } catch (error) {
    const missing = [...new Set([...Object.keys(run), ...Object.keys(scorers)])].filter(
      (model) => !hasPrice(model, prices),
    );
    return missing.length === 0 ? messageOf(error) : missing.join(", ");
  }
}

function hasPrice(model: string, prices: Readonly<Record<string, ModelPrice>>): boolean {
  try {
    costOf({ [model]: { promptTokens: 0, completionTokens: 0, totalTokens: 0 } }, prices);
    return true;
  } catch {
    return false;
  }
}
