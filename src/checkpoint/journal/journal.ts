import type { Slot } from "../document/snapshot.js";

/** Saves a run, as the parts of the run see it. */
export interface Journal {
  /** Identifies the run among all others, also after a resume. */
  readonly runKey: string;
  /** Whether every finished task is saved before the tasks that follow it start. */
  readonly isStepwise: boolean;
  /** The id to resume with after a stop. */
  readonly checkpointId: string | undefined;
  /** Whether the input was saved with the claim. */
  readonly isInputSaved: boolean;
  /**
   * To be called when an input stream has ended: the input is saved now, whatever the durability. If there is a promise, wait
   * for it before the first node starts.
   */
  inputEnded(): Promise<void> | undefined;
  /**
   * Saves progress, if the run is saved after every finished task. `isAlone`: no other task of the run ends in this turn, so the
   * save need not wait to be shared.
   */
  commit(isAlone?: boolean): Promise<void> | undefined;
  /** The same for a choice that is about to be acted upon. The history has no entry for it. */
  commitChoice(): Promise<void> | undefined;
  /** Whether a segment drives the run. */
  readonly isDriven: boolean;
  /** Whether the checkpoint of a finished run is kept, with its result. */
  readonly keepsOutput: boolean;
  /** Notes for the history that a node has ended. `path`: its key after those of the nodes around it, joined by `/`. */
  noteRan(path: string, hasFailed?: boolean): void;
  /** Whether a history is kept. */
  readonly keepsHistory: boolean;
  /** To be called when the run has its result: the checkpoint is removed, or marked as finished. */
  finished(output?: Slot): Promise<void>;
  /**
   * To be called when the run has ended without a result: it is saved. Resolves to the error that the run rejects with.
   * `hasSettled`: no node was cut off.
   */
  stopped(failure: unknown, hasSettled?: boolean): Promise<unknown>;
}
