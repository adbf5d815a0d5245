import type { ReadScore } from "../scores/score.js";
import type { UsageByModel } from "../scores/usage.js";

/** One run of one case, before it runs. */
export interface Sample {
  readonly one: object;
  readonly id: string;
  readonly sample: number;
}

/** What `run` returned, as plain data. */
export interface RanSample {
  readonly output?: unknown;
  /** The result of an agent. */
  readonly result?: unknown;
  /** Why it failed, or for what it waits. */
  readonly error?: string;
  readonly durationMs: number;
  readonly usageByModel: UsageByModel;
}

/** A sample with its scores. */
export interface ScoredSample extends Pick<Sample, "id" | "sample"> {
  readonly ran: RanSample;
  readonly scores: Readonly<Record<string, ReadScore>>;
}

/** The samples of all cases, and when they began. */
export interface Samples {
  readonly startedAt: number;
  readonly list: readonly Sample[];
}
