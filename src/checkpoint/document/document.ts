import type { EntryNote } from "../history/segments.js";
import type { RunIndex, RunStatus } from "../runs/run-index.js";
import type { RunSnapshot, Slot } from "./snapshot.js";

/** The content of a store under an id: a run, or one that is about to begin. */
export interface CheckpointDocument {
  /** Identifies the run among all others. */
  readonly runKey: string;
  readonly status: RunStatus;
  /** The name of its graph. */
  readonly graph: string;
  /** Milliseconds since 1970: when the run began, and when its status changed last. */
  readonly startedAt: number;
  readonly since: number;
  /** How many claims in a row were taken from dead processes with no task saved. */
  readonly attempts: number;
  /** Why it failed, or why its last answer did not fit. */
  readonly error: Slot | undefined;
  /** The input of a run that was enqueued, until it begins. */
  readonly given: Slot | undefined;
  /** Recorded answers by the ids of their questions: the next claim applies them. */
  readonly answers: Readonly<Record<string, Slot>> | undefined;
  /** What a store finds it by. */
  readonly index: RunIndex;
  /** The process that holds the claim. */
  readonly owner: string | undefined;
  /** The process that claimed it last, whether it has released it or not. */
  readonly lastOwner: string | undefined;
  /** Identifies the claim among those of that process. */
  readonly claim: string | undefined;
  /** Ids of the questions that the last resume answered. */
  readonly answered: readonly string[];
  /** The id of a stop requested from outside. */
  readonly requested: string | undefined;
  /** It is saved only while it waits: nothing of it stays once it has ended. */
  readonly isPassing: boolean;
  /** No query finds it. */
  readonly isUnlisted: boolean;
  /** How far the run has come; `undefined` while nothing is saved. */
  readonly root: RunSnapshot | undefined;
  /** The input of the run, as JSON of a slot. */
  readonly input: unknown;
  /** The last entry of its history; `undefined` when no history is kept. */
  readonly entry: EntryNote | undefined;
  /** The number of the open segment of its history. */
  readonly segment: number | undefined;
  /** The number of the oldest segment that may still exist. */
  readonly oldest: number | undefined;
  /** The result of a finished run that is kept; `undefined` when it could not be saved. */
  readonly output: Slot | undefined;
}

/** The kind of a task that names none. */
export const usualKind = "lambda";
