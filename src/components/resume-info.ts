/** Describes the earlier execution of a node or tool call: `ctx.resume`. */
export interface ResumeInfo {
  /** Whether this same task has stopped here before. */
  readonly wasInterrupted: boolean;
  /** The `state` that was passed to `ctx.interrupt`. */
  readonly state: unknown;
  /** Whether this node or tool call, or one inside it, was answered. */
  readonly isTarget: boolean;
  /** Whether an answer to `ctx.interrupt` has data. */
  readonly hasData: boolean;
  /** The data of the answer to `ctx.interrupt`; `undefined` without one. */
  readonly data: unknown;
}

/** The value for a node or tool call that has never stopped. */
export const firstInvocation: ResumeInfo = Object.freeze({
  wasInterrupted: false,
  state: undefined,
  isTarget: false,
  hasData: false,
  data: undefined,
});
