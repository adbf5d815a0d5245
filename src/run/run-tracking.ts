import type { RunSnapshot } from "../checkpoint/snapshot.js";
import type { RunOptions } from "../compose/options.js";
import type { GraphRunner } from "./environment.js";
import type { RootRun } from "./root-run.js";
import type { Run } from "./run.js";

/** What a run that stopped is resumed with. */
export interface Resumption {
  readonly checkpointId: string;
  readonly answers: Readonly<Record<string, unknown>> | undefined;
}

/** Claims the checkpoint of a run; gives how far it came, when it is resumed. */
export type Claim = () => Promise<RunSnapshot | undefined> | undefined;

/** The part of the executor that keeps account of tasks. */
export interface RunTracking extends GraphRunner {
  /** Gives a run the journal that saves it. Throws for options that do not fit. */
  openJournal(run: RootRun, options: RunOptions | undefined, resumption: Resumption | undefined): Claim;
  /** Runs a graph from its start. */
  start(run: Run, input: unknown): Promise<unknown>;
  /** Goes on with a run that stopped; the input counts only when nothing of it was done. */
  resume(run: Run, snapshot: RunSnapshot, input: unknown): Promise<unknown>;
}

/** Whether a run has something to do with checkpoints, or can be asked to stop; also when the options for it are wrong. */
export function needsJournal(options: RunOptions | undefined, resumption: Resumption | undefined): boolean {
  if (resumption !== undefined) return true;
  if (options === undefined) return false;
  const { control, checkpointId, writeToCheckpointId, forceNewRun, takeover, modifyState } = options;
  if (checkpointId !== undefined || writeToCheckpointId !== undefined) return true;
  if (control !== undefined || modifyState !== undefined) return true;
  return (forceNewRun ?? false) !== false || (takeover ?? false) !== false;
}
