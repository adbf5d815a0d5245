import type { Slot } from "../document/snapshot.js";

/** What a run writes itself down with, as its places see it. */
export interface Journal {
  /** Names the run among all others, also after a resume. */
  readonly runKey: string;
  /** Whether every finished task is saved before what follows it. */
  readonly isStepwise: boolean;
  /** The id to go on with after a stop. */
  readonly checkpointId: string | undefined;
  /** Whether the input was saved with the claim. */
  readonly isInputSaved: boolean;
  /**
   * To be called when an input that is a stream has come to its end: it is saved now, whatever the durability. Wait for the
   * promise before the first node starts, if there is one.
   */
  inputEnded(): Promise<void> | undefined;
  /**
   * Saves what has happened, if the run is saved after every finished task. `isAlone`: no other task of it ends in this turn,
   * which could share the save.
   */
  commit(isAlone?: boolean): Promise<void> | undefined;
  /** Whether the checkpoint of a finished run is kept, with its result. */
  readonly keepsOutput: boolean;
  /** A node has ended, for the history of the run. */
  noteRan(path: readonly string[], hasFailed?: boolean): void;
  /** Whether a history is kept. */
  readonly keepsHistory: boolean;
  /** The run has its result: its checkpoint goes, or is marked. */
  finished(output?: Slot): Promise<void>;
  /**
   * The run has ended without one: it is saved. Gives what the run rejects with. `hasSettled`: it was not cut off in the middle
   * of something.
   */
  stopped(failure: unknown, hasSettled?: boolean): Promise<unknown>;
}
