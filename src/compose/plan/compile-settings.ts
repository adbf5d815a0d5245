import type { Handler } from "../../callbacks/handler.js";
import type { CompileOptions } from "../compile-options.js";
import { invalidOption } from "../errors.js";
import { Runtime } from "../runtime.js";
import type { Plan, TriggerMode } from "./plan.js";

type CompileSettings = Pick<Plan, "name" | "triggerMode" | "maxSteps" | "callbacks" | "runtime">;

const names: readonly string[] = [
  "name",
  "triggerMode",
  "maxSteps",
  "callbacks",
  "runtime",
] satisfies (keyof CompileOptions)[];

/** How many steps a run may take beyond one for each node. */
const spareSteps = 10;

/** The options of `compile()`, checked and with their defaults. */
export function resolveCompileOptions(
  component: Plan["component"],
  nodeCount: number,
  options: CompileOptions,
): CompileSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("The options of compile() must be an object.");
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw invalidOption(`compile() has no option "${name}". There are ${names.join(", ")}.`);
  }
  const { name = "", callbacks = [], runtime = Runtime.default } = options;
  if (typeof name !== "string") throw invalidOption("The compile option name must be a text.");
  if (!(runtime instanceof Runtime))
    throw invalidOption("The compile option runtime must be a Runtime: new Runtime({ … }).");
  const triggerMode = resolveTriggerMode(component, options.triggerMode);
  return {
    name,
    triggerMode,
    maxSteps: resolveMaxSteps(options.maxSteps, triggerMode, nodeCount),
    callbacks: copyHandlers(callbacks),
    runtime,
  };
}

function resolveTriggerMode(component: Plan["component"], given: unknown): TriggerMode {
  if (given !== undefined && component !== "graph") {
    throw invalidOption(
      `A ${component} doesn't support node trigger mode option triggerMode: use a Graph to choose it.`,
    );
  }
  if (given === undefined) return component === "workflow" ? "allPredecessor" : "anyPredecessor";
  if (given === "anyPredecessor" || given === "allPredecessor") return given;
  throw invalidOption('The compile option triggerMode is "anyPredecessor" or "allPredecessor".');
}

function resolveMaxSteps(given: number | undefined, triggerMode: TriggerMode, nodeCount: number): number {
  if (triggerMode === "allPredecessor") {
    if (given === undefined) return Number.POSITIVE_INFINITY;
    throw invalidOption(
      "cannot set max run steps in dag mode: with allPredecessor every node runs once at most. Leave maxSteps out.",
    );
  }
  if (given === undefined) return nodeCount + spareSteps;
  if (Number.isInteger(given) && given >= 1) return given;
  throw invalidOption(`max run steps limit must be at least 1, a whole number; maxSteps is ${String(given)}.`);
}

function copyHandlers(callbacks: unknown): readonly Handler[] {
  if (!Array.isArray(callbacks)) throw invalidOption("The compile option callbacks must be a list of handlers.");
  for (const handler of callbacks) {
    if (typeof handler !== "object" || handler === null) {
      throw invalidOption("The compile option callbacks must hold handlers: objects with onStart, onEnd, ….");
    }
  }
  return Object.freeze([...callbacks]);
}
