import { KumikoError } from "../errors.js";

export const invalidRun = (what: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `runPage: the first argument must be a trace of one run, or { app, checkpointId } (got ${what}).`,
  );

export const severalRuns = (keys: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `runPage: the trace has ${keys.length} runs, and a page shows one. Pass { ...trace, runs: trace.runs.filter(({ runKey }) => ` +
      `runKey === key) } with one of the keys ${keys.slice(0, 5).join(", ")}${keys.length > 5 ? " …" : ""}.`,
  );

export const unknownSaves = (checkpointId: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `runPage: no saves are kept of "${checkpointId}". Compile the app with a store and { history: true }, and check the id.`,
  );
