import { batch, Chain, END, Graph, START } from "kumiko";
import type { Scenarios } from "./scenario.js";

const MILLION = 1_000_000;

const step = async (x: number): Promise<number> => x + 1;

/** Runs that end well. */
export const runScenarios: Scenarios = {
  chain: { times: MILLION, prepare: () => runsOf(chain()) },
  "graph with a branch": { times: MILLION, prepare: () => runsOf(branching()) },
  "graph in a graph": { times: MILLION, prepare: () => runsOf(nested()) },
  "fan-out to 3, allPredecessor": { times: MILLION / 4, prepare: () => runsOf(fanOut()) },
  "chain with a handler": {
    times: MILLION,
    prepare: () => runsOf(chain(), { callbacks: [{ onStart: () => "span", onEnd() {} }] }),
  },
  "chain with one signal for all runs": {
    times: MILLION,
    prepare: () => runsOf(chain(), { signal: new AbortController().signal }),
  },
  "chain that reads ctx.signal, with one signal for all runs": { times: MILLION / 10, prepare: readsSignal },
  "chain with a time limit": { times: MILLION, prepare: () => runsOf(chain(), { timeoutMs: 60_000 }) },
  "chain with state": { times: MILLION / 2, prepare: () => runsOf(counting()) },
  "batch of 10, with one signal for all": { times: MILLION / 10, prepare: batches },
  "100 runs at a time": { times: MILLION / 100, prepare: sideBySide },
  "graph that is built, compiled and run": { times: MILLION / 20, prepare: () => () => branching().invoke(0) },
};

interface Invocable {
  invoke(input: number, options?: object): Promise<number>;
}

function runsOf(runnable: Invocable, options?: object): () => Promise<number> {
  return () => runnable.invoke(0, options);
}

function chain(): Invocable {
  return new Chain<number>()
    .append(step)
    .append((x) => x + 1)
    .append(step)
    .compile();
}

function branching(): Invocable {
  return new Graph<number, number>()
    .addNode("step", step)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], (x: number) => (x < 3 ? "step" : END))
    .compile();
}

function nested(): Invocable {
  const inner = new Chain<number>().append(step);
  return new Chain<number>().append(step).append(inner).compile();
}

function fanOut(): Invocable {
  const graph = new Graph<number, number>().untyped();
  graph.addNode("join", (parts: Record<string, number>) => Object.keys(parts).length);
  for (let n = 0; n < 3; n++) {
    const part = `part${n}`;
    graph.addNode(part, step, { outputKey: `part${n}` });
    graph.addEdge(START, part);
    graph.addEdge(part, "join");
  }
  graph.addEdge("join", END);
  return graph.compile({ triggerMode: "allPredecessor" });
}

function readsSignal() {
  const reading = new Chain<number>().append(async (x, ctx) => (ctx.signal.aborted ? 0 : x + 1)).compile();
  return runsOf(reading, { signal: new AbortController().signal });
}

function counting(): Invocable {
  return new Chain<number>()
    .withState(() => ({ visits: 0 }))
    .append(async (x, ctx) => x + ++ctx.state.visits)
    .compile();
}

function batches() {
  const runnable = new Chain<number>().append(step).compile();
  const options = { concurrency: 3, signal: new AbortController().signal };
  const inputs = Array.from({ length: 10 }, (_, n) => n);
  return () => batch(runnable, inputs, options);
}

function sideBySide() {
  const one = runsOf(chain(), { signal: new AbortController().signal });
  return () => Promise.all(Array.from({ length: 100 }, one));
}
