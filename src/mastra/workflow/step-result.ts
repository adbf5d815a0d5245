/** What became of a step. */
export type StepStatus = "running" | "success" | "failed" | "suspended" | "bailed" | "waiting";

/** What is known of a step of a run. */
export interface StepResult {
  readonly status: StepStatus;
  /** Its input. */
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

/** The error of a step as it is saved: what an error carries besides may not be data. */
export function savedError(thrown: unknown): Error {
  const { name, message, stack } = asError(thrown);
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(typeof thrown === "string" ? thrown : String(thrown));
}
