import type { Handler } from "../../callbacks/handler.js";
import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import type { CompileOptions } from "../compile-options.js";
import { defaultRuntime, SharedParts } from "../default-runtime.js";
import { invalidOption, unknownStop } from "../errors.js";
import { END_INDEX, type Plan, type TriggerMode } from "./plan.js";
import { checkPolicies, type GivenPolicies, policyNames } from "./policy-settings.js";

type CompileSettings = Pick<
  Plan,
  "name" | "triggerMode" | "maxSteps" | "callbacks" | "runtime" | "store" | "durability" | "keepCheckpoint" | "history"
>;

const names: readonly string[] = [
  "name",
  "triggerMode",
  "maxSteps",
  "callbacks",
  "runtime",
  "store",
  "durability",
  "keepCheckpoint",
  "history",
  "interruptBefore",
  "interruptAfter",
  "nodeDefaults",
] satisfies (keyof CompileOptions)[];

/** How many steps a run may take beyond one for each node. */
const spareSteps = 10;

/** Checks the options of `compile()` and fills in defaults. */
export function resolveCompileOptions(
  component: Plan["component"],
  nodeCount: number,
  options: CompileOptions<string>,
): CompileSettings {
  checkOptions("compile()", options, names);
  const { name = "", callbacks = [], runtime = defaultRuntime } = options;
  if (typeof name !== "string") throw invalidOption("The compile option name must be a string.");
  if (!(runtime instanceof SharedParts))
    throw invalidOption("The compile option runtime must be a Runtime: new Runtime({ … }).");
  const triggerMode = resolveTriggerMode(component, options.triggerMode);
  return {
    name,
    triggerMode,
    maxSteps: resolveMaxSteps(options.maxSteps, triggerMode, nodeCount),
    callbacks: copyHandlers(callbacks),
    runtime,
    ...resolveCheckpoints(options),
  };
}

function resolveCheckpoints({
  store,
  durability,
  keepCheckpoint = false,
  history = false,
}: CompileOptions<string>): Pick<Plan, "store" | "durability" | "keepCheckpoint" | "history"> {
  if (store !== undefined && !isStore(store)) {
    throw invalidOption("The compile option store must be a CheckpointStore, such as memoryStore() or sqliteStore(…).");
  }
  if (durability !== undefined && durability !== "exit" && durability !== "step") {
    throw invalidOption('The compile option durability must be "exit" or "step".');
  }
  if (typeof keepCheckpoint !== "boolean")
    throw invalidOption("The compile option keepCheckpoint must be true or false.");
  return { store, durability, keepCheckpoint, history: resolveHistory(history, store) };
}

function resolveHistory(history: unknown, store: Plan["store"]): Plan["history"] {
  if (history === false) return undefined;
  const given: unknown = history === true ? {} : history;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalidOption("The compile option history must be true, false or { last, maxAgeMs }.");
  }
  checkOptions("the compile option history", given, ["last", "maxAgeMs"]);
  const { last = 1_000, maxAgeMs } = given as { readonly last?: number; readonly maxAgeMs?: number };
  if (!Number.isSafeInteger(last) || last < 1) {
    throw invalidOption(`history.last must be a whole number of at least 1 (got ${String(last)}).`);
  }
  if (maxAgeMs !== undefined && !(typeof maxAgeMs === "number" && maxAgeMs > 0)) {
    throw invalidOption(`history.maxAgeMs must be a number of milliseconds above 0 (got ${String(maxAgeMs)}).`);
  }
  if (store?.append === undefined) {
    throw invalidOption(
      "The compile option history needs a store with append, such as memoryStore(), sqliteStore(…) or postgresStore(…).",
    );
  }
  return { last, maxAgeMs };
}

/** Checks the policies for nodes without their own. */
export function resolveNodeDefaults(given: unknown): GivenPolicies {
  if (given === undefined) return {};
  if (!isFields(given)) throw invalidOption("The compile option nodeDefaults must be an object.");
  const known = policyNames.filter((name) => name !== "fallback");
  checkOptions("nodeDefaults", given, known);
  checkPolicies("nodeDefaults", given, invalidOption);
  return given;
}

function isStore(given: unknown): boolean {
  if (typeof given !== "object" || given === null) return false;
  return ["get", "put", "delete", "list"].every((name) => typeof Reflect.get(given, name) === "function");
}

/** The nodes of `interruptBefore` or `interruptAfter`, by index. */
export function resolveStops(
  option: "interruptBefore" | "interruptAfter",
  keys: unknown,
  indexOf: (key: string) => number | undefined,
): ReadonlySet<number> | undefined {
  if (keys === undefined) return undefined;
  if (!Array.isArray(keys)) throw invalidOption(`The compile option ${option} must be an array of node keys.`);
  const indexes = new Set<number>();
  for (const key of keys) {
    const index = typeof key === "string" ? indexOf(key) : undefined;
    if (index === undefined || index <= END_INDEX) throw unknownStop(option, key);
    indexes.add(index);
  }
  return indexes.size === 0 ? undefined : indexes;
}

function resolveTriggerMode(component: Plan["component"], given: unknown): TriggerMode {
  if (given !== undefined && component !== "graph") {
    throw invalidOption(
      `A ${component} doesn't support node trigger mode option triggerMode: use a Graph to choose it.`,
    );
  }
  if (given === undefined) return component === "workflow" ? "allPredecessor" : "anyPredecessor";
  if (given === "anyPredecessor" || given === "allPredecessor") return given;
  throw invalidOption('The compile option triggerMode must be "anyPredecessor" or "allPredecessor".');
}

function resolveMaxSteps(given: number | undefined, triggerMode: TriggerMode, nodeCount: number): number {
  if (triggerMode === "allPredecessor") {
    if (given === undefined) return Number.POSITIVE_INFINITY;
    throw invalidOption(
      "cannot set max run steps in dag mode: with allPredecessor every node runs at most once. Leave maxSteps out.",
    );
  }
  if (given === undefined) return nodeCount + spareSteps;
  if (Number.isInteger(given) && given >= 1) return given;
  throw invalidOption(`max run steps limit must be at least 1, a whole number; maxSteps is ${String(given)}.`);
}

function copyHandlers(callbacks: unknown): readonly Handler[] {
  if (!Array.isArray(callbacks)) throw invalidOption("The compile option callbacks must be an array of handlers.");
  for (const handler of callbacks) {
    if (typeof handler !== "object" || handler === null) {
      throw invalidOption("The compile option callbacks must hold handlers: objects with onStart, onEnd, ….");
    }
  }
  return Object.freeze([...callbacks]);
}
