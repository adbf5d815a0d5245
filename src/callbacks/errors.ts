import { KumikoError } from "../errors.js";
import { kindOf } from "../wording.js";

export const unknownComponent = (key: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() got handlers for "${key}", which is not a kind of run. Kinds: ${known.join(", ")}.`,
  );

export const invalidHandlers = (component: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() needs an object of functions for "${component}", such as { onStart(info, value) {} } (got ${kindOf(given)}).`,
  );

export const invalidTiming = (component: string, timing: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() got ${kindOf(given)} as "${timing}" of "${component}". Pass a function, or leave it out.`,
  );

export const invalidTrace = (path: string, wanted: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_TRACE",
    `Not a trace: ${path === "" ? "it" : path} ${wanted} (got ${typeof given === "number" ? given : kindOf(given)}). Pass the parsed JSON of traceRecorder().toJSON().`,
  );

export const newerTrace = (given: number, known: number): KumikoError =>
  new KumikoError(
    "INVALID_TRACE",
    `The trace has version ${given}, which is newer than what this release of kumiko reads (${known}). Read it with a newer release.`,
  );
