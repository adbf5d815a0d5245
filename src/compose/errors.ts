import { KumikoError, messageOf } from "../errors.js";
import { list } from "../wording.js";

const shown = 20;

export const duplicateNode = (key: string): KumikoError =>
  new KumikoError("DUPLICATE_NODE", `Node "${key}" is already present. Give each node a key of its own.`);

export const reservedKey = (key: string): KumikoError =>
  new KumikoError("RESERVED_KEY", `The key "${key}" is reserved for the ${key} of a graph. Choose another key.`);

export const invalidKey = (what: string, key: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `${what} ${describeKey(key)} cannot be used: ${why}.`);

export const invalidNode = (key: string, why: string): KumikoError =>
  new KumikoError("INVALID_NODE", `Node "${key}" ${why}`, { nodePath: [key] });

export const containsItself = (): KumikoError =>
  new KumikoError("INVALID_NODE", "This graph contains itself as a node. Build the inner graph separately.");

/** Adds the key of the node to an error of its inner graph. */
export const insideNode = (key: string, error: unknown): unknown =>
  KumikoError.is(error)
    ? new KumikoError(error.code, `Inside node "${key}": ${messageOf(error)}`, {
        nodePath: [key, ...error.nodePath],
        cause: error,
      })
    : error;

export const invalidNodeOption = (key: string, what: string): KumikoError =>
  new KumikoError("INVALID_OPTION", `Options of node "${key}": ${what}`, { nodePath: [key] });

export const cacheWithoutStore = (key: string): KumikoError =>
  invalidNodeOption(
    key,
    "cache has no store. Pass one, cache: { store: memoryCache() }, or use new Runtime({ cache: memoryCache() }).",
  );

export const cacheNeedsName = (path: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `Node "${path.join("/")}" has a cache that outlives the process, and its graph has no name. The entries of unnamed graphs ` +
      'could not be told apart: give the graph a name, compile({ name: "…" }), or use memoryCache().',
    { nodePath: path },
  );

export const invalidOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const stateRequired = (key: string, option: string): KumikoError =>
  new KumikoError(
    "STATE_REQUIRED",
    `Option "${option}" of node "${key}" needs state but graph state is not enabled. Call withState(…) before the first node.`,
    { nodePath: [key] },
  );

export const lateState = (first: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `withState(…) must be called before the first node, but "${first}" was already added.`,
  );

export const unknownNode = (what: string, key: unknown, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_NODE",
    `${what} ${describeKey(key)} needs to be added to graph first: call addNode(${describeKey(key)}, …). Nodes: ${list(known, shown)}.`,
  );

export const endAsSource = (): KumikoError =>
  new KumikoError(
    "INVALID_EDGE",
    "END cannot be a start node: nothing comes after END. Start the edge or branch at a node or at START.",
  );

export const startAsTarget = (from: string): KumikoError =>
  new KumikoError(
    "INVALID_EDGE",
    `START cannot be an end node: nothing leads back to START. Connect "${from}" to the first node of the loop instead.`,
  );

export const duplicateEdge = (from: string, to: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_EDGE",
    `The edge from "${from}" to "${to}" has already been added. Remove one of the two calls.`,
  );

export const invalidEdge = (what: string): KumikoError => new KumikoError("INVALID_EDGE", what);

export const invalidBranch = (from: string, why: string): KumikoError =>
  new KumikoError("INVALID_BRANCH", `The branch from "${from}" ${why}`);

export const invalidSwitch = (from: string, why: string): KumikoError =>
  new KumikoError("INVALID_BRANCH", `The switch from "${from}" ${why}`);

export const unknownCase = (from: string, field: string, found: unknown, cases: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_BRANCH_TARGET",
    `The switch from "${from}" has no case for ${describeCase(field, found)}. Cases: ${list(cases)}.`,
  );

function describeCase(field: string, found: unknown): string {
  if (found === undefined) return `a value without a field "${field}"`;
  if (typeof found === "string") return `"${field}" ${describeKey(found)}`;
  return `"${field}" ${describeKey(found)}, which is not a string or a boolean`;
}

export const emptyGraph = (component: string): KumikoError =>
  new KumikoError(
    "EMPTY_GRAPH",
    `This ${component} is empty: add at least one node${component === "graph" ? " or edge" : ""} before compile().`,
  );

export const droppedChain = (method: string): KumikoError =>
  new KumikoError(
    "EMPTY_GRAPH",
    `This chain is empty, and the chain that ${method}(…) returned was not used: a chain is immutable, each method returns a new one. ` +
      `Use the returned chain: chain = chain.${method}(…), or write the calls in one expression.`,
  );

export const noStart = (): KumikoError =>
  new KumikoError(
    "NO_START",
    "start node not set: START is not connected. Add an edge or a branch from START to the first node.",
  );

export const unreachableEnd = (detail: string): KumikoError =>
  new KumikoError("UNREACHABLE_END", `end node not set: ${detail}. Add an edge or a branch that leads to END.`);

export const unfedNodes = (keys: readonly string[]): KumikoError =>
  new KumikoError(
    "UNFED_NODE",
    `${list(keys, shown)} ${keys.length === 1 ? "has" : "have"} no incoming edge and would never run. Add an edge or a branch to ${keys.length === 1 ? "it" : "each"}, or remove ${keys.length === 1 ? "it" : "them"}.`,
  );

export const unreachableNodes = (keys: readonly string[]): KumikoError =>
  new KumikoError(
    "UNFED_NODE",
    `There is no path from START to ${list(keys, shown)}: ${keys.length === 1 ? "it" : "they"} would never run. Connect ${keys.length === 1 ? "it" : "them"}, or remove ${keys.length === 1 ? "it" : "them"}.`,
  );

export const cycle = (loops: readonly (readonly string[])[], more: boolean, isWorkflow = false): KumikoError =>
  new KumikoError(
    "CYCLE",
    `DAG is invalid, has loop: ${loops.map((loop) => `[${loop.join(" → ")}]`).join(" ")}${more ? " and more" : ""}. ` +
      (isWorkflow
        ? "A node of a workflow waits for every node that it reads or runs after. Remove the loop."
        : 'With triggerMode "allPredecessor" a node waits for all nodes before it. Remove the loop, or use "anyPredecessor".'),
  );

export const unevenJoin = (
  key: string,
  there: readonly string[],
  late: readonly { readonly source: string; readonly outputKey: string }[],
): KumikoError => {
  const missing = late.map(({ source, outputKey }) => `"${source}" has delivered "${outputKey}"`).join(" and ");
  return new KumikoError(
    "UNEVEN_JOIN",
    `"${key}" would run with ${list(there)} before ${missing}: compile with triggerMode "allPredecessor", or lead the short ` +
      "path through a passthrough.",
  );
};

export const invalidMapping = (key: string, field: string, why: string): KumikoError =>
  new KumikoError("INVALID_MAPPING", `${field === "" ? "The input" : `Field "${field}"`} of "${key}" ${why}`, {
    nodePath: key === "end" ? [] : [key],
  });

export const endTwice = (): KumikoError =>
  new KumikoError("INVALID_OPTION", "end(…) was already called: a workflow has one output.");

export const noEnd = (): KumikoError =>
  new KumikoError("UNREACHABLE_END", "The workflow has no output. Define it with end(…).");

export const equalOutputKeys = (target: string, outputKey: string, first: string, second: string): KumikoError =>
  new KumikoError(
    "CANNOT_MERGE",
    `"${first}" and "${second}" both have the outputKey "${outputKey}" and lead to "${target}". Change one of them, or give "${target}" a merge function.`,
    { nodePath: [target] },
  );

export const memberOutputKey = (key: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The member "${key}" of appendParallel has the option outputKey. Leave it out: the output has the key "${key}".`,
  );

export const unknownStop = (option: string, key: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_NODE",
    `${option} names ${describeKey(key)}, which is not a node of this graph. Use keys of its nodes.`,
  );

export const invalidChain = (what: string): KumikoError => new KumikoError("INVALID_CHAIN", what);

export const schemaMismatch = (what: string, issues: readonly string[]): KumikoError =>
  new KumikoError("VALIDATION", `${what} does not fit its schema: ${issues.join("; ")}.`);

function describeKey(key: unknown): string {
  if (typeof key === "object" && key !== null && "key" in key) return describeKey(key.key);
  if (typeof key === "string") return `"${key.length > 80 ? `${key.slice(0, 80)}…` : key}"`;
  if (Array.isArray(key)) return "a list";
  return typeof key === "object" && key !== null ? "an object" : String(key);
}

export const restartedAfterChoice = (): KumikoError =>
  new KumikoError(
    "STREAM_RESTARTED",
    'The message restarted after toolCallsOr had already chosen a target by its first content. Use decideOn: "whole-message", or a model that does not restart after its first content.',
  );
