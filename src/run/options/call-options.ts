import type { Handler } from "../../callbacks/handler.js";
import { checkOptions } from "../../check-options.js";
import type { KindOptions, NodeCallOptions, RunOptions } from "../../compose/options.js";
import { END_INDEX, LONE_INDEX, type PlanNode } from "../../compose/plan/plan.js";
import { isSize } from "../../schema/stream/size.js";
import { invalidRunOption, unknownPath } from "../errors.js";
import type { Program } from "../program.js";

/** The options of one node, and of the nodes inside it. */
export interface NodeCallOptionsTree {
  readonly options?: object | undefined;
  readonly callbacks?: readonly Handler[] | undefined;
  readonly inside: Map<string, NodeCallOptionsTree>;
}

/** The checked call options of a run: something in the graph accepts each of them. */
export interface Overrides {
  readonly kinds: KindOptions | undefined;
  readonly nodes: NodeCallOptionsTree | undefined;
}

type KindName = keyof KindOptions;

const kindNames: readonly string[] = [
  "model",
  "tool",
  "toolsNode",
  "template",
  "retriever",
  "embedder",
  "indexer",
  "loader",
  "transformer",
  "lambda",
] satisfies KindName[];

function componentOf(kind: KindName): PlanNode["component"] {
  return kind === "tool" || kind === "toolsNode" ? "tools_node" : kind;
}

/** Checks the call options of a run. Throws for options that nothing in the graph accepts. */
export function resolveOverrides({ options, nodes }: RunOptions, program: Program): Overrides | undefined {
  if (options === undefined && nodes === undefined) return undefined;
  if (options !== undefined) checkKinds(options, program);
  if (nodes !== undefined) checkRecord("nodes", nodes, "a record of options by path");
  return { kinds: options, nodes: nodes === undefined ? undefined : treeOf(nodes, program) };
}

function checkKinds(options: KindOptions, program: Program): void {
  checkRecord("options", options, "a record of options by kind of component");
  for (const kind of Object.keys(options)) {
    const value = options[kind as KindName];
    if (!kindNames.includes(kind)) {
      throw invalidRunOption(`Unknown component kind options.${kind}. Kinds: ${kindNames.join(", ")}.`);
    }
    if (value === undefined) continue;
    if (!hasComponent(program, componentOf(kind as KindName))) {
      throw invalidRunOption(
        `options.${kind} was given, and nothing in this graph accepts it: it has no ${kind === "tool" ? "tools node" : kind}.`,
      );
    }
    if (kind !== "tool") checkRecord(`options.${kind}`, value, "an object");
    else if (!(Array.isArray(value) && value.every(isToolOption))) {
      throw invalidRunOption("options.tool must be a list of entries made with `toolOptions`: [search.with({ … })].");
    }
  }
}

function isToolOption(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("key" in value) || !("values" in value)) return false;
  return typeof value.key === "string" && typeof value.values === "object" && value.values !== null;
}

function hasComponent({ plan, nested }: Program, wanted: PlanNode["component"]): boolean {
  for (let index = END_INDEX + 1; index < plan.nodes.length; index++) {
    if (kindWithOptions(plan.nodes[index] as PlanNode) === wanted) return true;
  }
  for (const inner of nested.values()) if (hasComponent(inner, wanted)) return true;
  return false;
}

function treeOf(nodes: Readonly<Record<string, NodeCallOptions | undefined>>, program: Program): NodeCallOptionsTree {
  const root: NodeCallOptionsTree = { inside: new Map() };
  for (const [path, given] of Object.entries(nodes)) {
    if (given !== undefined) addNodeOptions(root, path, given, program);
  }
  return root;
}

function addNodeOptions(root: NodeCallOptionsTree, path: string, given: NodeCallOptions, program: Program): void {
  const keys = path.split("/");
  let tree = root;
  let inner: Program | undefined = program;
  let node: PlanNode | undefined;
  for (const key of keys) {
    const index = inner?.indexOf(key);
    if (inner === undefined || index === undefined)
      throw unknownPath(path, key, inner?.keys.slice(END_INDEX + 1) ?? []);
    node = inner.plan.nodes[index];
    inner = inner.inside(index);
    let next = tree.inside.get(key);
    if (next === undefined) {
      next = { inside: new Map() };
      tree.inside.set(key, next);
    }
    tree = next;
  }
  checkNodeOptions(path, given, node);
  Object.assign(tree, given);
}

function checkNodeOptions(path: string, given: NodeCallOptions, node: PlanNode | undefined): void {
  checkRecord(`nodes["${path}"]`, given, "an object with options and callbacks");
  if (given.callbacks !== undefined) checkHandlers(`nodes["${path}"].callbacks`, given.callbacks);
  checkOptions(`nodes["${path}"]`, given, ["options", "callbacks"]);
  if (node?.body.kind === "passthrough") {
    throw invalidRunOption(`nodes["${path}"] names a passthrough: it has no options and no callbacks.`);
  }
  if (node !== undefined && isGraph(node.body) && given.options !== undefined) {
    throw invalidRunOption(
      `nodes["${path}"].options names a graph, which has none of its own. Name a node in it: "${path}/…".`,
    );
  }
}

/** Whether a node is a graph, possibly one that is run for each item: graphs have no call options of their own. */
function isGraph(body: PlanNode["body"]): boolean {
  if (body.kind !== "each") return body.kind === "graph";
  const inner = body.plan.nodes[LONE_INDEX];
  return inner !== undefined && isGraph(inner.body);
}

/**
 * Merges the options of a node field by field: its own, then the run's for its kind, then the run's for its path. `made` are its
 * own where they are a function.
 */
export function mergeCallOptions(
  node: PlanNode,
  kinds: KindOptions | undefined,
  own: NodeCallOptionsTree | undefined,
  made: object | undefined,
): object | undefined {
  const { options } = node.settings;
  const first = typeof options === "function" ? made : options;
  const second = kinds?.[kindOf(kindWithOptions(node))];
  const third = own?.options;
  if ((first ?? second ?? third) === undefined) return undefined;
  if (first === undefined && third === undefined && second !== undefined && isReady(second)) return second;
  const merged: Record<string, unknown> = {};
  addDefined(merged, first);
  addDefined(merged, second);
  addDefined(merged, third);
  return Object.freeze(merged);
}

/** Whether options can be passed on as they are: nobody can change them, and none is undefined. */
function isReady(options: object): boolean {
  if (!Object.isFrozen(options)) return false;
  for (const name in options) if (options[name as never] === undefined || name === "__proto__") return false;
  return true;
}

function addDefined(merged: Record<string, unknown>, layer: object | undefined): void {
  for (const name of Object.keys(layer ?? {})) {
    const value = layer?.[name as never];
    if (value !== undefined && name !== "__proto__") merged[name] = value;
  }
}

function kindWithOptions({ component, takes }: PlanNode): PlanNode["component"] {
  return takes ?? component;
}

function kindOf(component: PlanNode["component"]): KindName {
  switch (component) {
    case "tools_node":
      return "toolsNode";
    case "tool":
    case "graph":
    case "chain":
    case "workflow":
    case "agent":
    case "passthrough":
      return "lambda";
    default:
      return component;
  }
}

/** The most used ones first, because they are searched in order. */
const runOptionNames: readonly string[] = [
  "callbacks",
  "signal",
  "requestContext",
  "checkpointId",
  "parent",
  "key",
  "timeoutMs",
  "maxSteps",
  "maxConcurrency",
  "options",
  "nodes",
  "control",
  "writeToCheckpointId",
  "forceNewRun",
  "takeover",
  "modifyState",
] satisfies (keyof RunOptions)[];

/**
 * Checks run options, except those that name parts of the graph (see {@link resolveOverrides}) and those about checkpoints
 * (see `checkCheckpointOptions`).
 */
export function checkRunOptions(options: RunOptions, program: Program): void {
  checkRecord("The options of a run", options, "an object");
  for (const name in options) {
    if (!isRunOption(name) && Object.hasOwn(options, name)) checkOptions("a run", options, runOptionNames);
  }
  const { maxSteps, maxConcurrency, timeoutMs, key, parent, signal, callbacks, requestContext } = options;
  if (signal !== undefined && !isSignal(signal)) throw invalidRunOption("signal must be an AbortSignal.");
  if (callbacks !== undefined) checkHandlers("callbacks", callbacks);
  if (requestContext !== undefined) {
    checkRecord("requestContext", requestContext, "a RequestContext or a plain record of its values");
  }
  if (maxSteps !== undefined) checkMaxSteps(maxSteps, program);
  if (maxConcurrency !== undefined && !isSize(maxConcurrency)) {
    throw invalidRunOption(
      `maxConcurrency must be a whole number of at least 1, or Infinity; got ${String(maxConcurrency)}.`,
    );
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= longestTimeout)) {
    throw invalidRunOption(
      `timeoutMs must be a number of milliseconds from 0 to ${longestTimeout}; got ${String(timeoutMs)}.`,
    );
  }
  if (key !== undefined && parent === undefined) throw invalidRunOption("key names a child run: give parent with it.");
}

/** A linear search is faster than a `Set` here: engines intern these names and compare them by identity. */
function isRunOption(name: string): boolean {
  for (let n = 0; n < runOptionNames.length; n++) if (runOptionNames[n] === name) return true;
  return false;
}

function checkRecord(what: string, given: unknown, wanted: string): void {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return;
  throw invalidRunOption(`${what} must be ${wanted}.`);
}

function checkHandlers(what: string, given: unknown): void {
  if (Array.isArray(given) && given.every((handler) => typeof handler === "object" && handler !== null)) return;
  throw invalidRunOption(`${what} must be a list of handlers: objects with onStart, onEnd, ….`);
}

/** Also true for a signal from another realm. */
function isSignal(given: unknown): boolean {
  return typeof given === "object" && given !== null && "aborted" in given && "addEventListener" in given;
}

/** The longest delay of `setTimeout`. */
const longestTimeout = 2_147_483_647;

function checkMaxSteps(maxSteps: number, { plan }: Program): void {
  if (plan.triggerMode === "allPredecessor") {
    throw invalidRunOption("cannot set max run steps in an allPredecessor graph: every node runs at most once there.");
  }
  if (!Number.isInteger(maxSteps) || maxSteps < 1) {
    throw invalidRunOption(`maxSteps: the limit must be at least 1, a whole number; got ${String(maxSteps)}.`);
  }
}
