import type { EventRecorder } from "../agents/segment-options.js";
import type { RunRow } from "../checkpoint/runs/run-index.js";
import type { SegmentOptions } from "../compose/segment.js";

/** Options of `startWorker`. */
export interface WorkerOptions {
  /** How many runs it works on at a time. @default 10 */
  readonly concurrency?: number | undefined;
  /** Only runs whose ids start with it; of turns, whose threads do. */
  readonly prefix?: string | undefined;
  /** How often it looks for runs of which the store did not notify it, in milliseconds. @default 1000 */
  readonly pollMs?: number | undefined;
  /**
   * Returns the options of `segment` for a run, such as a time limit or handlers. For runs of agents, `record` is the log of their
   * events: turns, whose rows have a `threadId`, then continue in the recording of their thread.
   */
  readonly options?:
    | ((row: RunRow) => SegmentOptions<never> & { readonly record?: EventRecorder | undefined })
    | undefined;
  /** Called when a run cannot be worked on, and without a row when the store cannot be read. @default console.error */
  readonly onError?: ((error: unknown, row?: RunRow) => void) | undefined;
}
