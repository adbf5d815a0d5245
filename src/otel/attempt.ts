import { reportError } from "./api.js";

/**
 * Runs a function of the user or of an SDK. Returns `undefined` if it throws, and logs the error with `diag` of
 * OpenTelemetry.
 */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    report(error);
    return undefined;
  }
}

function report(error: unknown): void {
  try {
    reportError("otelTracer: recording failed; the run goes on without it.", error);
  } catch {
    // there is no place to report an error of the logger
  }
}
