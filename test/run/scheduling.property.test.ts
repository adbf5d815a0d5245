import fc from "fast-check";
import { type CompileOptions, KumikoError, type Runnable, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { numberOfRuns } from "../number-of-runs.js";
import { acyclicGraphs, cyclicGraphs, type GraphSpec } from "./graph-spec.js";
import { type Expected, runDependencies, runSteps, type Task } from "./oracle.js";
import { graphOf } from "./spec-graph.js";

type Values = Readonly<Record<string, string>>;

const input: Values = { start: "k0" };
const maxSteps = 9;

async function outcomeOf(run: Promise<Values>): Promise<Expected["outcome"]> {
  try {
    return { result: await run };
  } catch (error) {
    if (KumikoError.is(error)) return { code: error.code };
    throw error;
  }
}

/** Runs a graph and notes the tasks. */
async function run(
  spec: GraphSpec,
  options: CompileOptions,
  start: (graph: Runnable<Values, Values>) => Promise<Values>,
): Promise<{ readonly outcome: Expected["outcome"]; readonly tasks: readonly Task[] }> {
  const tasks: Task[] = [];
  const graph = graphOf(spec, options, { onTask: (task) => void tasks.push(task) });
  const outcome = await outcomeOf(start(graph));
  return { outcome, tasks };
}

/** Without an order of tasks, and of the keys that came in one by one. */
const asText = (tasks: readonly Task[]): string[] =>
  tasks.map(({ node, input: given }) => JSON.stringify([node, Object.entries(given).sort()])).sort();

/** Tasks of nodes that stream are worked out when they are read: such a node may not have got to it. */
const ofEagerNodes = ({ kinds }: GraphSpec, tasks: readonly Task[]): readonly Task[] =>
  tasks.filter(({ node }) => kinds[node] !== "transforms");

const starts: Readonly<Record<string, (graph: Runnable<Values, Values>) => Promise<Values>>> = {
  stream: (graph) => graph.stream(input).concat(),
  collect: (graph) => graph.collect(StreamReader.from([input])),
  transform: (graph) => graph.transform(StreamReader.from([input])).concat(),
  "stream with a handler": (graph) => graph.stream(input, { callbacks: [recordingHandler()] }).concat(),
  "stream with a signal": (graph) => graph.stream(input, { signal: new AbortController().signal }).concat(),
};

describe("Any anyPredecessor graph", () => {
  const options: CompileOptions = { triggerMode: "anyPredecessor", maxSteps };

  it.each([
    ["invoke", {}],
    ["invoke with a handler", { callbacks: [recordingHandler()] }],
    ["invoke with a signal", { signal: new AbortController().signal }],
  ])("runs what a simple model of supersteps says, in that order (%s)", async (_how, runOptions) => {
    const property = fc.asyncProperty(fc.oneof(acyclicGraphs, cyclicGraphs), async (spec) => {
      const expected = runSteps(spec, input, maxSteps);
      const actual = await run(spec, options, (graph) => graph.invoke(input, runOptions));
      expect(actual.outcome).toEqual(expected.outcome);
      expect(inSteps(actual.tasks, spec)).toEqual(inSteps(expected.tasks, spec));
    });
    await fc.assert(property, { numRuns: numberOfRuns(120) });
  });

  it.each(Object.entries(starts))("gives and runs the same in %s", async (_mode, start) => {
    const property = fc.asyncProperty(fc.oneof(acyclicGraphs, cyclicGraphs), async (spec) => {
      const expected = runSteps(spec, input, maxSteps);
      const actual = await run(spec, options, start);
      expect(actual.outcome).toEqual(expected.outcome);
      expect(asText(ofEagerNodes(spec, actual.tasks))).toEqual(asText(ofEagerNodes(spec, expected.tasks)));
      expect(asText(expected.tasks)).toEqual(expect.arrayContaining(asText(actual.tasks)));
    });
    await fc.assert(property, { numRuns: numberOfRuns(80) });
  });
});

describe("Any allPredecessor graph", () => {
  const options: CompileOptions = { triggerMode: "allPredecessor" };

  it.each([
    ["invoke", (graph: Runnable<Values, Values>) => graph.invoke(input)] as const,
    ["invoke with a handler", (graph: Runnable<Values, Values>) => graph.invoke(input, { callbacks: [{}] })] as const,
    ...Object.entries(starts),
  ])("runs each node at most once, with what a simple model says (%s)", async (_mode, start) => {
    const property = fc.asyncProperty(acyclicGraphs, async (spec) => {
      const expected = runDependencies(spec, input);
      const actual = await run(spec, options, start);
      expect(actual.outcome).toEqual(expected.outcome);
      expect(new Set(asText(actual.tasks)).size).toBe(actual.tasks.length);
      expect(asText(expected.tasks)).toEqual(expect.arrayContaining(asText(actual.tasks)));
      const needed = "code" in actual.outcome ? expected.tasks : neededTasks(spec, expected.tasks);
      expect(asText(actual.tasks)).toEqual(expect.arrayContaining(asText(ofEagerNodes(spec, needed))));
    });
    await fc.assert(property, { numRuns: numberOfRuns(80) });
  });
});

/** The tasks whose outputs END needs, directly or not: the others may be stopped before they run. */
function neededTasks(spec: GraphSpec, tasks: readonly Task[]): readonly Task[] {
  const needed = new Set([spec.kinds.length]);
  const inputs = new Map(tasks.map(({ node, input: given }) => [node, Object.keys(given)]));
  const keys = (node: number): string[] => inputs.get(node) ?? [];
  const direct = runDependencies(spec, input).outcome;
  const open = "result" in direct ? Object.keys(direct.result) : [];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const node = Number(key.slice(1));
    if (key === "start" || needed.has(node)) continue;
    needed.add(node);
    open.push(...keys(node));
  }
  return tasks.filter(({ node }) => needed.has(node));
}

/** Within a step nodes that wait get to their task in an order of their own: sorted, from one step to the next. */
function inSteps(tasks: readonly Task[], { kinds }: GraphSpec): string[] {
  return kinds.every((kind) => kind === "sync") ? tasks.map((task) => JSON.stringify(task)) : asText(tasks);
}
