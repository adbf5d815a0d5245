import { Chain, END, Graph, type NodeContext, START, type TriggerMode } from "kumiko";
import type { Workloads } from "./workload.js";

type Step = (value: number) => number | Promise<number>;

const STEPS = 100;
const BRANCHES = 10;
const WIDTH = 50;
const handler = { onStart() {}, onEnd() {} };

/** What the executor costs. */
export const graphWorkloads: Workloads = {
  "chain of 10 sync functions": { prepare: () => runOf(chainOf(syncSteps())), expected: 10 },
  "chain of 10 async functions": { prepare: () => runOf(chainOf(asyncSteps())), expected: 10 },
  "chain of 10, with a handler": {
    prepare: () => runOf(chainOf(asyncSteps()), { callbacks: [handler] }),
    expected: 10,
  },
  "chain of 10, with the caller's signal": {
    prepare: () => runOf(chainOf(asyncSteps()), { signal: new AbortController().signal }),
    expected: 10,
  },
  "chain of 10, with a time limit": {
    prepare: () => runOf(chainOf(asyncSteps()), { timeoutMs: 60_000 }),
    expected: 10,
  },
  "chain of 10, with state": { prepare: chainWithState, expected: 10 },
  "loop, per step": { prepare: () => runOf(loop()), operations: STEPS, expected: STEPS },
  "branch, per branch": { prepare: () => runOf(branches()), operations: BRANCHES, expected: BRANCHES },
  "fan-out to 50 and join": { prepare: () => runOf(fanOut("anyPredecessor")), expected: WIDTH },
  "fan-out to 50 and join, allPredecessor": { prepare: () => runOf(fanOut("allPredecessor")), expected: WIDTH },
  "line of 10, allPredecessor": { prepare: () => runOf(line("allPredecessor")), expected: 10 },
  "graph in a graph in a graph": { prepare: () => runOf(nested()), expected: 3 },
  "run that fails": { prepare: failing, expected: "NODE_FAILED" },
  "build and compile 20 nodes, per node": { prepare: building, operations: 20, expected: true },
};

interface Invocable {
  invoke(input: number, options?: object): Promise<number>;
}

function runOf(runnable: Invocable, options?: object): () => Promise<number> {
  return () => runnable.invoke(0, options);
}

const syncSteps = (): Step[] => Array.from({ length: 10 }, () => (x) => x + 1);
const asyncSteps = (): Step[] => Array.from({ length: 10 }, () => async (x) => x + 1);

function chainOf(steps: readonly Step[]): Invocable {
  const chain = new Chain<number>();
  const [first, ...others] = steps;
  if (first === undefined) throw new Error("A chain needs a step.");
  return others.reduce((longer, step) => longer.append(step), chain.append(first)).compile();
}

function chainWithState() {
  const visit = async (x: number, ctx: NodeContext<{ visits: number }>): Promise<number> => {
    ctx.state.visits++;
    return x + 1;
  };
  let chain = new Chain<number>().withState(() => ({ visits: 0 })).append(visit);
  for (let n = 1; n < 10; n++) chain = chain.append(visit);
  return runOf(chain.compile());
}

function loop(): Invocable {
  return new Graph<number, number>()
    .addNode("step", async (x: number) => x + 1)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], (x: number) => (x < STEPS ? "step" : END))
    .compile({ maxSteps: STEPS });
}

function branches(): Invocable {
  const graph = new Graph<number, number>();
  let from = graph.node("in", (x: number) => x);
  graph.connect(graph.start, from);
  for (let n = 0; n < BRANCHES; n++) {
    const odd = graph.node(`odd${n}`, async (x: number) => x + 1);
    const even = graph.node(`even${n}`, async (x: number) => x + 1);
    const next = graph.node(`next${n}`, (x: number) => x);
    graph.addBranch(from, [odd, even], (x: number) => (x % 2 === 1 ? odd : even));
    graph.connect(odd, next);
    graph.connect(even, next);
    from = next;
  }
  graph.connect(from, graph.end);
  return graph.compile({ maxSteps: 100 });
}

function fanOut(triggerMode: TriggerMode): Invocable {
  const graph = new Graph<number, number>();
  const join = graph.node("join", (parts: Record<string, number>) => Object.keys(parts).length);
  for (let n = 0; n < WIDTH; n++) {
    const part = graph.node(`part${n}`, async (x: number) => x + n, { outputKey: `part${n}` });
    graph.connect(graph.start, part);
    graph.connect(part, join.part);
  }
  graph.connect(join, graph.end);
  return graph.compile({ triggerMode });
}

function line(triggerMode: TriggerMode, length = 10): Invocable {
  const graph = new Graph<number, number>();
  let from = graph.node("n0", async (x: number) => x + 1);
  graph.connect(graph.start, from);
  for (let n = 1; n < length; n++) {
    const next = graph.node(`n${n}`, async (x: number) => x + 1);
    graph.connect(from, next);
    from = next;
  }
  graph.connect(from, graph.end);
  return graph.compile({ triggerMode });
}

function nested(): Invocable {
  const step = async (x: number): Promise<number> => x + 1;
  const inner = new Chain<number>().append(step);
  const middle = new Chain<number>().append(step).append(inner);
  return new Chain<number>().append(step).append(middle).compile();
}

function failing() {
  const chain = new Chain<number>()
    .append(async (): Promise<number> => {
      throw new Error("no");
    })
    .compile();
  const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : error);
  return () => chain.invoke(0).catch(codeOf);
}

function building() {
  return () => line("anyPredecessor", 20) !== undefined;
}
