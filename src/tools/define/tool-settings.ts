import { invalidOutputValidation, invalidTimeout } from "./errors.js";

/** The reaction to output that does not fit the tool's `outputSchema`: an error, a warning, or nothing (it is not checked). */
export type OutputValidation = "error" | "warn" | "off";

const validations: readonly unknown[] = ["error", "warn", "off", undefined] satisfies (OutputValidation | undefined)[];

/** Throws if the time limit of a tool or a node (`where`) is invalid. */
export function checkTimeout(where: string, timeoutMs: unknown): void {
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0)) return;
  throw invalidTimeout(where, timeoutMs);
}

export function checkOutputValidation(where: string, validation: unknown): void {
  if (!validations.includes(validation)) throw invalidOutputValidation(where, validation);
}
