import type { Interrupt } from "../pause/interrupt.js";

/** One save of a run: how far it was, and why it was saved. */
export interface HistoryEntry {
  /** Names it among those of its checkpoint, for `stateAt` and `fork`. */
  readonly id: string;
  /** The entry before it; of a fork `<checkpoint id>#<entry id>`, the entry that it is a copy of. */
  readonly parent?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: "start" | "task" | "interrupt" | "failure" | "end" | "fork";
  /** Paths of the nodes that have ended since the entry before. */
  readonly ran: readonly string[];
  /** Those of them that have failed, where an error branch took the failure. */
  readonly failed?: readonly string[] | undefined;
  /** Paths of the nodes that a resume starts or enters again; what a branch has yet to choose is not there. */
  readonly next: readonly string[];
  /** What was asked and not answered. */
  readonly interrupts: readonly Interrupt[];
  /** The message of what it failed with. */
  readonly error?: string | undefined;
}

/** Which entries are listed. */
export interface HistoryLimits {
  /** At most so many. @default all */
  readonly limit?: number | undefined;
  /** Only those before this one, by id. */
  readonly before?: string | undefined;
}

/** What a save holds. Outputs that no node can read any more are not kept, and `undefined` here. */
export interface SavedState {
  /** The input of the run. With a history it goes with the oldest saves. */
  readonly input: unknown;
  /** The state of the graph, or of the graph at a path of node keys, joined by `/`. */
  state(path?: string): unknown;
  /** What the node at a path gave; without a path, the result of a finished run. */
  output(path?: string): unknown;
}

/** How a run is copied. */
export interface ForkOptions {
  /** The entry to copy, by id. @default the newest */
  readonly entry?: string | undefined;
  /** The id of the copy; nothing may be stored there. @default a new one */
  readonly to?: string | undefined;
  /** Gives another state for a graph, by the path of its node; `undefined` keeps it. */
  readonly editState?: ((state: unknown, path: string) => unknown) | undefined;
  /** Other outputs for nodes whose outputs nobody has read yet, by path; `start` is the input. */
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
}

/** How much of a history may stay. */
export interface PruneOptions {
  readonly last?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}
