import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { KumikoError } from "../errors.js";
import type { Answers, RunOptions } from "./options.js";

/** What a segment is about, besides the options of a run. */
export interface SegmentSettings<I = unknown> {
  /** The input of a new run. A stored run ignores it; without one, an unknown id is `UNKNOWN_CHECKPOINT`. */
  readonly input?: I;
  /** Answers by interrupt id or by address. Those to questions that are no longer open are ignored. */
  readonly answers?: Answers | undefined;
  /** Whether to wait while another process runs it, or to return its state at once. @default "wait" */
  readonly onBusy?: "wait" | "return" | undefined;
  /** Goes on with a run that has failed. @default false */
  readonly retry?: boolean | undefined;
  /** How many claims in a row may be taken from dead processes with no task saved; then the run fails. @default 5 */
  readonly maxAttempts?: number | undefined;
  /** Takes over a claim that is older than this, in milliseconds, although its process may live. @default never */
  readonly takeoverAfterMs?: number | undefined;
  /** How long a store that fails is tried again, in milliseconds since its last success. @default 60000 */
  readonly storeWaitMs?: number | undefined;
}

/** Options of `segment`: those of a run, without those that `segment` decides. */
export type SegmentOptions<I = unknown, Paths extends string = string, Inner = unknown> = Omit<
  RunOptions<Paths, Inner>,
  "parent" | "key" | "checkpointId" | "writeToCheckpointId" | "forceNewRun" | "takeover" | "modifyState"
> &
  SegmentSettings<I>;

/** The state of a saved run. */
export type SavedRun<O = unknown> = SavedRunFields &
  (
    | {
        /** It came to its end. */
        readonly status: "finished";
        /** Its result; `undefined` if that could not be saved. */
        readonly output: O;
      }
    | {
        /** How the run stands: `RunStatus` says what each means. */
        readonly status: "ready" | "running" | "waiting" | "stopped" | "failed" | "cancelled";
      }
  );

/** @internal */
interface SavedRunFields {
  /** Its checkpoint id. */
  readonly id: string;
  /** The name of its graph. */
  readonly graph: string;
  /** When it was first started or enqueued. */
  readonly startedAt: Date;
  /** When the status changed last. */
  readonly changedAt: Date;
  /** The process that runs it. */
  readonly owner?: string | undefined;
  /** How many claims in a row were taken from dead processes with no task saved. */
  readonly attempts: number;
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /** Why it failed; of a waiting run, why its last answer did not fit. */
  readonly error?: KumikoError | undefined;
}

/** What engines and workers drive: a compiled graph, an agent, or a workflow of `kumiko/mastra`. */
export interface DurableApp {
  /** Drives a run to its next pause or end. */
  segment(
    id: string | { readonly threadId: string; readonly requestId: string },
    options?: SegmentOptions<never> & { readonly userId?: string },
  ): Promise<SavedRun>;
}
