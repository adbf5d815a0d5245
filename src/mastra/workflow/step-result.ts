/** The status of a step. */
export type StepStatus = "running" | "success" | "failed" | "suspended" | "bailed" | "waiting";

/** The result of a step of a run. */
export interface StepResult {
  /** How far the step is. */
  readonly status: StepStatus;
  /** The input of the step. */
  readonly payload: unknown;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended, in milliseconds since 1970. */
  readonly endedAt?: number | undefined;
  /** The returned value; set for `"success"`. */
  readonly output?: unknown;
  /** Why it failed; set for `"failed"`. */
  readonly error?: Error | undefined;
  /** The value passed to `suspend`. */
  readonly suspendPayload?: unknown;
  /** When it was suspended, in milliseconds since 1970. */
  readonly suspendedAt?: number | undefined;
  /** The data with which it was resumed. */
  readonly resumePayload?: unknown;
  /** When it was resumed, in milliseconds since 1970. */
  readonly resumedAt?: number | undefined;
}

/** A copy of an error with only the fields that can always be serialized. */
export function savedError(thrown: unknown): Error {
  const { name, message, stack } = asError(thrown);
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Converts a thrown value to an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(typeof thrown === "string" ? thrown : String(thrown));
}
