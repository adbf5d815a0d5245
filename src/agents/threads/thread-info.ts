import type { Interrupt } from "../../checkpoint/pause/interrupt.js";

/** What a list of threads says about one. */
export interface ThreadInfo {
  /** The id of the thread. */
  readonly id: string;
  /** Whose thread it is: the user of its first turn. */
  readonly userId?: string | undefined;
  /** What `update` has set, such as a title. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When its first turn began. */
  readonly createdAt: Date;
  /** When its newest turn stopped, or began if it has not stopped yet. In a list, a crash may leave an earlier time. */
  readonly updatedAt: Date;
  /** The number of its newest turn. In a list, that of the newest one that has stopped; a crash may leave an earlier one. */
  readonly turns: number;
  /** The questions that its newest turn waits for. */
  readonly interrupts: readonly Interrupt[];
}

/** Which threads to list. */
export interface ThreadListOptions {
  /** Only those whose ids begin with it. @default "" */
  readonly prefix?: string | undefined;
  /** Only those of one user. A present `undefined` is an error. */
  readonly userId?: string;
  /** Only those that wait for answers. */
  readonly waiting?: true | undefined;
}

/** What to change about a thread. */
export interface ThreadUpdate {
  /** Gives the thread to this user. A present `undefined` is an error. */
  readonly userId?: string;
  /** Replaces all metadata. JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** How old threads are that are removed, in milliseconds since they last changed. */
export interface ThreadSweepOptions {
  /** For threads that do not wait, nor run. */
  readonly doneMs: number;
  /** For threads that wait for answers. @default they stay */
  readonly waitingMs?: number | undefined;
}
