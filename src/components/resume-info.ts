/** What a node or tool can read about its earlier execution: `ctx.resume`. */
export interface ResumeInfo {
  /** Whether it has stopped here before, in this very task. */
  readonly wasInterrupted: boolean;
  /** What `ctx.interrupt` was given as `state`. */
  readonly state: unknown;
  /** Whether this place, or one inside it, was answered. */
  readonly isTarget: boolean;
  /** Whether an answer to `ctx.interrupt` came with data. */
  readonly hasData: boolean;
  readonly data: unknown;
}

/** The `ctx.resume` of a node or tool that has not stopped before. */
export const firstInvocation: ResumeInfo = Object.freeze({
  wasInterrupted: false,
  state: undefined,
  isTarget: false,
  hasData: false,
  data: undefined,
});
