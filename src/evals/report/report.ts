import { isFields } from "../../is.js";
import { shorten } from "../../schema/shorten.js";
import { kindOf } from "../../wording.js";
import { invalidReport } from "../errors.js";
import type { UsageByModel } from "../scores/usage.js";
import type { Interval } from "./statistics.js";

/** One score in a report. */
export interface ResultScore {
  /** From 0 to 1; `null` if it is unscored, and the reason says why. */
  readonly score: number | null;
  /** Whether it is at or above `passAt`. */
  readonly passed: boolean;
  /** Why, as the scorer said. */
  readonly reason?: string;
  /** Scores of which it is made. */
  readonly parts?: Readonly<Record<string, unknown>>;
}

/** One run of one case. */
export interface CaseResult {
  /** The id of the case, or its position, counted from 1. */
  readonly id: string;
  /** Which of its runs, counted from 1. */
  readonly sample: number;
  /** What `run` returned, as plain JSON. */
  readonly output: unknown;
  /** Why `run` failed, or for what it waits. */
  readonly error?: string;
  /** The scores by scorer. */
  readonly scores: Readonly<Record<string, ResultScore>>;
  /** How long `run` took. */
  readonly durationMs: number;
  /** The tokens that `run` used. */
  readonly usageByModel: UsageByModel;
}

/** The numbers of one scorer. The unit is the case. */
export interface ScorerSummary {
  /** How many cases have a score. */
  readonly cases: number;
  /** How many results have none. */
  readonly unscored: number;
  /** The mean of the scores, over cases. */
  readonly mean: number;
  /** The share of passed samples, as a mean over cases. */
  readonly rate: number;
  /** The 95 % interval of the rate (Wilson). */
  readonly rateInterval: Interval;
  /** How many cases passed in every sample. */
  readonly always: number;
  /** How many cases passed in no sample. */
  readonly never: number;
}

/** The outcome of an evaluation, as plain JSON. */
export interface Report {
  /** The version of this form: older reports stay readable. */
  readonly version: 1;
  /** The name of the evaluation. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** How long the whole took. */
  readonly durationMs: number;
  /** Each run of each case, in their order. */
  readonly results: readonly CaseResult[];
  /** The numbers by scorer. */
  readonly scores: Readonly<Record<string, ScorerSummary>>;
  /** The tokens of what was evaluated, and of the scorers. */
  readonly usageByModel: {
    /** Of `run`. */
    readonly run: UsageByModel;
    /** Of scorers. */
    readonly scorers: UsageByModel;
  };
  /** What the tokens cost, if all models have a price. */
  readonly cost?: number;
  /** The numbers in Markdown, with what failed and what was slow. */
  readonly summary: string;
}

/** Throws if a value is not a report that this version reads. */
export function checkReport(where: string, report: unknown): void {
  if (!isFields(report)) throw invalidReport(where, `must be a report (got ${kindOf(report)})`);
  const { version, results, scores } = report;
  if (typeof version === "number" && version > 1)
    throw invalidReport(where, `has version ${version}, but this version of Kumiko reads version 1`);
  if (version !== 1) throw invalidReport(where, `has no version that this library knows (got ${shorten(version)})`);
  if (!Array.isArray(results) || !isFields(scores)) throw invalidReport(where, "has no results or scores");
  for (const [index, one] of results.entries()) {
    if (isFields(one) && typeof one.id === "string" && isFields(one.scores)) continue;
    throw invalidReport(where, `has something else than a result at results[${index}]`);
  }
  for (const [name, summary] of Object.entries(scores)) {
    if (isFields(summary) && Array.isArray(summary.rateInterval)) continue;
    throw invalidReport(where, `has something else than the numbers of a scorer at scores["${name}"]`);
  }
}
