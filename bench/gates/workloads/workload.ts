import type { Work } from "../counting.js";

/** Something whose price is watched. */
export interface Workload {
  /** How many operations (steps, calls, chunks) one run does; figures are per operation. @default 1 */
  readonly operations?: number | undefined;
  readonly prepare: () => Work;
  /** What a run must give: a workload that does not do its work would look cheap. */
  readonly expected: unknown;
}

export type Workloads = Readonly<Record<string, Workload>>;
