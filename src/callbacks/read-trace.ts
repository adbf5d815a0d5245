import { isFields } from "../is.js";
import { invalidTrace, newerTrace } from "./errors.js";
import type { Trace } from "./trace.js";

const version = 1;

/**
 * Checks that a value is a trace, such as a parsed file, and returns it. Throws `INVALID_TRACE` with the path of what is wrong.
 *
 * @example
 * const saved = JSON.stringify(traceRecorder());
 * const { runs } = readTrace(JSON.parse(saved));
 * console.log(runs.length);
 */
export function readTrace(json: unknown): Trace {
  const trace = fieldsAt("", json);
  if (typeof trace.version === "number" && trace.version > version) throw newerTrace(trace.version, version);
  if (trace.version !== version) throw invalidTrace("version", `must be ${version}`, trace.version);
  checkGraphs(trace.graphs);
  checkRuns(trace.runs);
  return json as Trace;
}

type Check = (path: string, value: unknown) => void;

const isText: Check = (path, value) => {
  if (typeof value !== "string") throw invalidTrace(path, "must be a string", value);
};

const isNumber: Check = (path, value) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalidTrace(path, "must be a number", value);
};

const isOptional =
  (check: Check): Check =>
  (path, value) =>
    value === undefined || check(path, value);

const isList =
  (check: Check): Check =>
  (path, value) => {
    if (!Array.isArray(value)) throw invalidTrace(path, "must be a list", value);
    for (const [index, item] of value.entries()) check(`${path}[${index}]`, item);
  };

const hasFields =
  (fields: Readonly<Record<string, Check>>): Check =>
  (path, value) => {
    const given = fieldsAt(path, value);
    for (const [name, check] of Object.entries(fields)) check(inside(path, name), given[name]);
  };

const texts = isOptional(isText);
const numbers = isOptional(isNumber);

const checkNode = hasFields({
  ...{ id: isText, name: isText, component: isText, type: isText, address: isText },
  ...{ toolCallId: texts, graph: texts, runKey: texts, checkpointId: texts, threadId: texts, model: texts },
  ...{ startedAt: isNumber, durationMs: isNumber, attempt: numbers },
  running: (path, value) => {
    if (value !== undefined && value !== true) throw invalidTrace(path, "must be true, or absent", value);
  },
  chunks: isOptional(hasFields({ count: isNumber, at: isList(isList(isNumber)) })),
  usage: isOptional(
    hasFields({
      ...{ promptTokens: isNumber, completionTokens: isNumber, totalTokens: isNumber },
      ...{ reasoningTokens: numbers, cachedTokens: numbers, cacheWriteTokens: numbers },
    }),
  ),
  events: isOptional(isList(hasFields({ at: isNumber, kind: isText }))),
  children: isList(() => undefined),
});

/** Runs inside runs, without recursion: a file may be as deep as it likes. */
function checkRuns(runs: unknown): void {
  isList(() => undefined)("runs", runs);
  const open: { readonly path: string; readonly list: readonly unknown[] }[] = [];
  open.push({ path: "runs", list: runs as unknown[] });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [index, node] of next.list.entries()) {
      const path = `${next.path}[${index}]`;
      checkNode(path, node);
      open.push({ path: `${path}.children`, list: (node as { readonly children: readonly unknown[] }).children });
    }
  }
}

const checkEdge = hasFields({ from: isText, to: isText, kind: isText, label: texts });

/** Graphs inside graphs, without recursion. */
function checkGraphs(graphs: unknown): void {
  const open = Object.entries(fieldsAt("graphs", graphs)).map(
    ([key, graph]) => [inside("graphs", key), graph] as const,
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, graph] = next;
    const node = hasFields({ key: isText, name: texts, component: isText, type: texts });
    hasFields({ name: isText, component: isText, nodes: isList(node), edges: isList(checkEdge) })(path, graph);
    const { nodes } = graph as { readonly nodes: readonly { readonly graph?: unknown }[] };
    for (const [index, { graph: inner }] of nodes.entries()) {
      if (inner !== undefined) open.push([`${path}.nodes[${index}].graph`, inner]);
    }
  }
}

function fieldsAt(path: string, value: unknown): Readonly<Record<string, unknown>> {
  if (!isFields(value) || Array.isArray(value)) throw invalidTrace(path, "must be an object", value);
  return value;
}

function inside(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
