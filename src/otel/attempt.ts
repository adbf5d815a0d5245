import { diag } from "./api.js";

/** Runs a function of the user or of an SDK. Errors go to the `diag` logger of OpenTelemetry. */
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
    diag.error("otelTracer: something failed, and the run goes on without it.", error);
  } catch {
    // the error of a logger cannot be reported anywhere
  }
}
