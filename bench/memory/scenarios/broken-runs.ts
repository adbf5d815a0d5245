import { Chain, END, Graph, isInterrupt, memoryStore, RunControl, START } from "kumiko";
import type { Scenarios } from "./scenario.js";

const times = 100_000;

/** Runs that do not reach their end. */
export const brokenRunScenarios: Scenarios = {
  "run that fails": { times, prepare: () => failing({}) },
  "run that fails, with one signal for all runs": {
    times,
    prepare: () => failing({ signal: new AbortController().signal }),
  },
  "run that fails, with a handler": { times, prepare: () => failing({ callbacks: [{ onStart() {}, onError() {} }] }) },
  "fan-out in which one fails while others wait": { times, prepare: failingSibling },
  "run that is aborted while it waits": { times, prepare: aborted },
  "run that is aborted before it starts": { times, prepare: abortedBefore },
  "100 runs that run out of time": { times: times / 50, prepare: timedOut },
  "run that is interrupted and never resumed": { times, prepare: interrupted },
  "run that is interrupted in a nested graph, with a handler": { times, prepare: nestedInterrupted },
  "saved run that is interrupted and resumed": { times, prepare: resumed },
  "saved run that is interrupted and given up": { times, prepare: givenUp },
  "saved run that ends well, with one control for all runs": { times, prepare: controlled },
};

const ignore = (): void => {};
const step = async (x: number): Promise<number> => x + 1;

function failing(options: object) {
  const chain = new Chain<number>()
    .append(step)
    .append(async (): Promise<number> => {
      throw new Error("no");
    })
    .compile();
  return () => chain.invoke(0, options).catch(ignore);
}

function failingSibling() {
  const graph = new Graph<number, number>().untyped();
  graph.addNode("join", (parts: Record<string, number>) => Object.keys(parts).length);
  graph.addNode("fails", (): Promise<number> => Promise.reject(new Error("no")), { outputKey: "fails" });
  graph.addNode("waits", (_: number, { signal }) => untilAborted(signal), { outputKey: "waits" });
  graph.addEdge(START, "fails");
  graph.addEdge(START, "waits");
  graph.addEdge("fails", "join");
  graph.addEdge("waits", "join");
  graph.addEdge("join", END);
  const compiled = graph.compile();
  const { signal } = new AbortController();
  return () => compiled.invoke(0, { signal }).catch(ignore);
}

function untilAborted(signal: AbortSignal): Promise<number> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

function waitingChain() {
  return new Chain<number>()
    .append(step)
    .append((_, { signal }) => untilAborted(signal))
    .compile();
}

function aborted() {
  const chain = waitingChain();
  return async () => {
    const controller = new AbortController();
    const run = chain.invoke(0, { signal: controller.signal }).catch(ignore);
    await undefined;
    controller.abort();
    await run;
  };
}

function abortedBefore() {
  const chain = waitingChain();
  const signal = AbortSignal.abort();
  return () => chain.invoke(0, { signal }).catch(ignore);
}

/** Many at once: each of them waits for a timer. */
function timedOut() {
  const chain = waitingChain();
  return () => Promise.all(Array.from({ length: 100 }, () => chain.invoke(0, { timeoutMs: 1 }).catch(ignore)));
}

function interrupted() {
  const chain = new Chain<number>().append((x, ctx) => ctx.ask<number>("number", x)).compile();
  return () => chain.invoke(0).catch(ignore);
}

function nestedInterrupted() {
  const inner = new Chain<number>().append((x, ctx) => ctx.ask<number>("number", x));
  const chain = new Chain<number>().append(inner).compile();
  const options = { callbacks: [{ onStart() {}, onInterrupt() {} }], signal: new AbortController().signal };
  return () => chain.invoke(0, options).catch(ignore);
}

function resumed() {
  const chain = new Chain<number>().append((x, ctx) => ctx.ask<number>("number", x)).compile({ store: memoryStore() });
  let runs = 0;
  return async () => {
    const checkpointId = `run-${++runs}`;
    const error = await chain.invoke(0, { checkpointId }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    await chain.resume(checkpointId, { [error.interrupts[0]?.id ?? ""]: 1 });
  };
}

function givenUp() {
  const store = memoryStore();
  const chain = new Chain<number>().append((x, ctx) => ctx.ask<number>("number", x)).compile({ store });
  return async () => {
    await chain.invoke(0, { checkpointId: "one" }).catch(ignore);
    const saved = await store.get("one");
    await store.delete("one", saved?.version);
  };
}

function controlled() {
  const chain = new Chain<number>().append(step).append(step).compile({ store: memoryStore() });
  const control = new RunControl();
  let runs = 0;
  return () => chain.invoke(0, { checkpointId: `run-${++runs}`, control });
}
