import type { Clock } from "../../components/clock.js";
import type { CheckpointStore } from "../checkpoint-store.js";
import type { RunSnapshot } from "../document/snapshot.js";
import type { HistoryRetention } from "../history/history-log.js";
import type { ValueCodec } from "../values/value-codec.js";
import type { DrivenRun } from "./driven.js";
import type { OnStop } from "./grace.js";
import type { OwnRun } from "./own-document.js";

/** The run that a journal saves. */
export interface JournaledRun {
  snapshot(): RunSnapshot;
  /** Whether a snapshot is possible: not while the input is a stream that has not been read to its end. */
  readonly canBeSaved: boolean;
  /** Whether a node may have started. */
  readonly hasBegun: boolean;
  /** The id of a stop requested from outside. */
  readonly requestedStop: string | undefined;
  /** Why it was stopped, if it was. */
  readonly reason: unknown;
  abort(reason: unknown): void;
  /** The error that it rejects with when it pauses. */
  interruption(): unknown;
  /** Reports a problem with the checkpoint that does not change how the run ends. */
  report(problem: unknown): void;
}

/** Under which ids a run is read and written. */
export interface CheckpointIds {
  readonly read: string;
  readonly write: string;
}

export interface JournalSettings {
  readonly store: CheckpointStore | undefined;
  readonly ids: CheckpointIds | undefined;
  readonly isStepwise: boolean;
  readonly keepCheckpoint: boolean;
  readonly codec: ValueCodec;
  /** How much of the history is kept; `undefined` for none. */
  readonly history?: HistoryRetention | undefined;
  /** Listens to the caller's signal and time limit, also after the nodes have ended; `undefined` when there is neither. */
  readonly onCallerStop?: OnStop | undefined;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
  /** What it is called. `isPassing`: nobody but it knows the id yet, so that it is saved only while it waits. */
  readonly run: OwnRun;
  /** Set if a segment drives the run. */
  readonly driven?: DrivenRun | undefined;
}
