import type { EntryNote } from "../history/segments.js";
import type { RunSnapshot, Slot } from "./snapshot.js";

/** What a store has under an id: one run, or one that somebody is about to begin. */
export interface CheckpointDocument {
  /** Of the format it was written in. */
  readonly version: number;
  /** Names the run among all others. */
  readonly runKey: string;
  readonly status: "running" | "stopped" | "finished";
  /** The process that is at it. */
  readonly owner: string | undefined;
  /** Which of the claims of that process it is. */
  readonly claim: string | undefined;
  /** Questions that the last resume with answers has answered; in older documents, all that were. */
  readonly answered: readonly string[];
  /** A stop that was asked for from outside. */
  readonly requested: string | undefined;
  /** How far it has come; `undefined` as long as nothing was saved. */
  readonly root: RunSnapshot | undefined;
  /** The input of the run, as JSON of a slot. */
  readonly input: unknown;
  /** The last entry of its history; `undefined` where none is kept. */
  readonly entry: EntryNote | undefined;
  /** The number of the segment of its history that is open, and of the oldest that may be there. */
  readonly segment: number | undefined;
  readonly oldest: number | undefined;
  /** The result of a finished run that is kept; `undefined` when it could not be saved. */
  readonly output: Slot | undefined;
}

/** The version of the format that is written. Older ones are read too. */
export const documentVersion = 2;
