import { KumikoError } from "../errors.js";
import { kindOf } from "../wording.js";

export const unknownComponent = (key: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() got handlers for "${key}", which is not a kind of run. The kinds are: ${known.join(", ")}.`,
  );

export const invalidHandlers = (component: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() needs an object of functions for "${component}", such as { onStart(info, value) {} }, but got ${kindOf(given)}.`,
  );

export const invalidTiming = (component: string, timing: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `componentHandlers() got ${kindOf(given)} as "${timing}" of "${component}". Give a function, or leave it out.`,
  );
