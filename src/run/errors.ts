import { KumikoError, messageOf } from "../errors.js";
import { capital, list } from "../wording.js";

const at = (path: readonly string[]): string => (path.length === 0 ? "the graph" : `node "${path.join("/")}"`);

export const stateLocked = (name: string): KumikoError =>
  new KumikoError(
    "STATE_LOCKED",
    `processState("${name}") was called inside the use of that same state: it would wait for itself. ` +
      "Do both in one call, or call it after the first is done.",
  );

export const stateNotFound = (name: string, address: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "STATE_NOT_FOUND",
    `processState found no graph around "${address}" that was made withState(${name}). ` +
      `Give that same state key to withState. States in reach: ${list(known)}.`,
  );

export const nodeFailed = (path: readonly string[], cause: unknown): KumikoError =>
  new KumikoError(
    "NODE_FAILED",
    `${path.length === 0 ? "The run" : `Node "${path.join("/")}"`} failed: ${messageOf(cause)}`,
    {
      nodePath: path,
      cause,
    },
  );

export const nodeTimedOut = (
  path: readonly string[],
  limit: "timeoutMs" | "idleTimeoutMs",
  ms: number | undefined,
  cause: unknown,
): KumikoError =>
  new KumikoError(
    "NODE_TIMED_OUT",
    limit === "timeoutMs"
      ? `${capital(at(path))} took longer than its timeoutMs of ${ms} ms.`
      : `${capital(at(path))} gave no sign of life for its idleTimeoutMs of ${ms} ms. Long work can call ctx.heartbeat().`,
    { nodePath: path, cause },
  );

export const notItems = (path: readonly string[], input: unknown): KumikoError =>
  new KumikoError(
    "TYPE_MISMATCH",
    `${capital(at(path))} runs each item of a list, but its input is ${describe(input)}.`,
    {
      nodePath: path,
    },
  );

export const itemFailed = (path: readonly string[], index: number, cause: unknown): KumikoError =>
  new KumikoError("NODE_FAILED", `${capital(at(path))} failed at item ${index}: ${messageOf(cause)}`, {
    nodePath: path,
    cause,
  });

export const strayInterrupt = (path: readonly string[], cause: Error): KumikoError =>
  new KumikoError(
    "NODE_FAILED",
    `${capital(at(path))} failed: a separate run inside it stopped to wait, and nobody could answer. ` +
      `Make it a child: invoke(input, { parent: ctx }). ${messageOf(cause)}`,
    { nodePath: path, cause },
  );

export const stateFailed = (path: readonly string[], cause: unknown): KumikoError =>
  new KumikoError("NODE_FAILED", `The state of ${at(path)} could not be made: ${messageOf(cause)}`, {
    nodePath: path,
    cause,
  });

export const maxStepsExceeded = (path: readonly string[], limit: number, running: readonly string[]): KumikoError =>
  new KumikoError(
    "MAX_STEPS_EXCEEDED",
    `${capital(at(path))} exceeds its maximum of ${limit} steps; next would be ${list(running)}. ` +
      "If the loop is meant to run that long, raise maxSteps (compile option, or run option for the top graph).",
    { nodePath: path },
  );

export const noNextNode = (path: readonly string[], last: readonly string[]): KumikoError =>
  new KumikoError(
    "NO_NEXT_NODE",
    `${capital(at(path))} has no tasks to execute and has not reached END; ` +
      `${last.length === 0 ? "nothing ran after START" : `last completed nodes: ${list(last)}`}. ` +
      "A branch that chooses nothing, or targets that are all skipped, end the run like this.",
    { nodePath: path },
  );

export const unknownBranchTarget = (
  path: readonly string[],
  isStart: boolean,
  chosen: unknown,
  targets: readonly string[],
): KumikoError =>
  new KumikoError(
    "UNKNOWN_BRANCH_TARGET",
    `The branch behind ${isStart ? `START of ${at(path)}` : at(path)} chose ${describe(chosen)}, which it does not declare. Declared: ${list(targets)}.`,
    { nodePath: path },
  );

export const missingInputKey = (path: readonly string[], key: string, input: unknown): KumikoError =>
  new KumikoError(
    "MISSING_INPUT_KEY",
    `${capital(at(path))} cannot find input key "${key}": it got ${describeKeys(input)}.`,
    { nodePath: path },
  );

export const cannotMerge = (path: readonly string[], isEnd: boolean, why: string): KumikoError =>
  new KumikoError("CANNOT_MERGE", `The inputs of ${isEnd ? `END of ${at(path)}` : at(path)} cannot be merged: ${why}`, {
    nodePath: path,
  });

export const mappingFailed = (
  target: readonly string[],
  isEnd: boolean,
  { source, field }: { readonly source: string; readonly field: string },
  why: string,
): KumikoError =>
  new KumikoError(
    "MAPPING_FAILED",
    `${field === "" ? "The input" : `Field "${field}" of the input`} of ${isEnd ? `END of ${at(target)}` : at(target)} cannot be read from ${source}: ${why}.`,
    { nodePath: target },
  );

export const invalidRunOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const wrongOptions = (path: readonly string[], made: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The function options of ${at(path)} must return an object of call options, or undefined (got ${describe(made)}).`,
    { nodePath: path },
  );

export const unknownPath = (path: string, at: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_PATH",
    `The option nodes["${path}"] names "${at}", which is not a node there. Nodes: ${list(known)}.`,
  );

export const duplicateChild = (key: string, address: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_CHILD",
    `At "${address}" a child run with the key "${key}" is still running. Give each child of a context a key of its own: ` +
      `invoke(input, { parent: ctx, key: "…" }).`,
  );

export const parentIsNoContext = (): KumikoError =>
  invalidRunOption("parent must be the ctx that a node, tool or handler of a run was given.");

export function describe(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (Array.isArray(value)) return "a list";
  if (value === null || typeof value !== "object") return String(value);
  const type: unknown = value.constructor;
  return typeof type === "function" && type !== Object ? `a ${type.name}` : "a record";
}

function describeKeys(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return describe(value);
  return `a record with the keys ${list(Object.keys(value))}`;
}
