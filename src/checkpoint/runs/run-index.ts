/**
 * How a saved run stands.
 *
 * - `ready`: enqueued, answered, or cut off: a segment or a worker continues it.
 * - `running`: claimed by its owner; once that is dead, a segment or a worker continues it.
 * - `waiting`: it has open questions, and continues after an answer or a deadline.
 * - `stopped`: stopped or aborted by its caller, or a copy: `segment` and `resume` continue it, no worker does.
 * - `failed`: a node failed, or it was abandoned: `resume` and `retry` continue it.
 * - `cancelled`: by `cancel`; `resume` and `retry` continue it.
 * - `finished`: its output is kept.
 */
export type RunStatus = "ready" | "running" | "waiting" | "stopped" | "failed" | "cancelled" | "finished";

/** What a store can find a run by. It is written with every save, in the same step as the bytes. */
export interface RunIndex {
  /** How the run stands. */
  readonly status: RunStatus;
  /** The name of the graph. */
  readonly graph: string;
  /** The process that has claimed it. */
  readonly owner?: string | undefined;
  /** When the status changed last, in milliseconds since 1970. Saves of a running run leave it as it is. */
  readonly since: number;
  /** When the first deadline of an open question passes, in milliseconds since 1970. */
  readonly due?: number | undefined;
  /** The thread of a turn. */
  readonly threadId?: string | undefined;
  /** The user to whom the thread belongs. */
  readonly userId?: string | undefined;
}

/** A run in a list. */
export interface RunRow extends RunIndex {
  /** Its checkpoint id. */
  readonly id: string;
}

/** Which runs are listed. A field with a list matches any of its values. */
export interface RunQuery {
  /** Only runs that stand like this. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** Only runs of graphs with this name. */
  readonly graph?: string | readonly string[] | undefined;
  /** Only runs that this process has claimed. */
  readonly owner?: string | readonly string[] | undefined;
  /** Only turns of threads that belong to this user. */
  readonly userId?: string | readonly string[] | undefined;
  /** What the id starts with; of a turn, what its `threadId` starts with. */
  readonly prefix?: string | undefined;
  /** Only runs with a deadline before this time, in milliseconds since 1970. */
  readonly dueBefore?: number | undefined;
  /** How many runs the list has at most. @default 100 */
  readonly limit?: number | undefined;
  /** Only runs after this one: by `since`, then by id in the order of code points. */
  readonly after?: RunRow | undefined;
}
