/** What an invocation is told about its earlier execution: `ctx.resume`. */
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

/** What a place is told that never stopped. */
export const firstInvocation: ResumeInfo = Object.freeze({
  wasInterrupted: false,
  state: undefined,
  isTarget: false,
  hasData: false,
  data: undefined,
});
