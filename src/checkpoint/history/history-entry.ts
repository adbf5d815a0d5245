import type { Interrupt } from "../pause/interrupt.js";

/** One save of a run: how far the run was, and why it was saved. */
export interface HistoryEntry {
  /** Identifies the entry within its checkpoint, for `stateAt` and `fork`. */
  readonly id: string;
  /** The id of the previous entry. For a fork, `<checkpoint id>#<entry id>` of the entry that it copies. */
  readonly parent?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why the run was saved: it started, a task was done, it waits, it failed, it ended, or it is a copy. */
  readonly cause: "start" | "task" | "interrupt" | "failure" | "end" | "fork";
  /** Paths of the nodes that have ended since the previous entry. */
  readonly ran: readonly string[];
  /** Those of them that failed, where an error branch handled the failure. */
  readonly failed?: readonly string[] | undefined;
  /**
   * Addresses of what was saved of nodes in progress: results of tool calls, of items of `each`, and of `once`
   * (`…;once:<key>`). What ended together with its node is not here.
   */
  readonly calls?: readonly string[] | undefined;
  /** Paths of the nodes that a resume would start or enter again, except those that a branch has yet to choose. */
  readonly next: readonly string[];
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /** The message of the error that it failed with. */
  readonly error?: string | undefined;
}

/** Which entries are listed. */
export interface HistoryLimits {
  /** The greatest number of entries. @default all */
  readonly limit?: number | undefined;
  /** Only entries before the one with this id. */
  readonly before?: string | undefined;
}

/** The values of a save. Those that no node can read any more are not kept, and are `undefined` here. */
export interface SavedState {
  /** The input of the run. With a history it goes with the oldest saves. */
  readonly input: unknown;
  /** The state of the graph, or of an inner graph, by its path of node keys joined by `/`. */
  state(path?: string): unknown;
  /** The output of the node at a path; without a path, the result of a finished run. */
  output(path?: string): unknown;
}

/** How a run is copied. */
export interface ForkOptions {
  /** The entry to copy, by id. @default the newest */
  readonly entry?: string | undefined;
  /** The id of the copy; nothing may be stored there. @default a new one */
  readonly to?: string | undefined;
  /** Returns a new state for the graph at a path; `undefined` keeps the state. */
  readonly editState?: ((state: unknown, path: string) => unknown) | undefined;
  /** New outputs by path, for nodes whose output has not been read yet; `start` is the input. */
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
}

/** How much of a history to keep. Both limits are optional. */
export interface PruneOptions {
  /** The number of newest entries to keep. */
  readonly last?: number | undefined;
  /** The age in milliseconds up to which entries are kept. */
  readonly maxAgeMs?: number | undefined;
}
