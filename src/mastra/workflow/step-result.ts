/** The status of a step. */
export type StepStatus = "running" | "success" | "failed" | "suspended" | "bailed" | "waiting";

/** The result of a step of a run. */
export interface StepResult {
  readonly status: StepStatus;
  /** The input of the step. */
  readonly payload: unknown;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly output?: unknown;
  readonly error?: Error | undefined;
  readonly suspendPayload?: unknown;
  readonly suspendedAt?: number | undefined;
  readonly resumePayload?: unknown;
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
