import { Chain, END, Graph, lambda, memoryStore, START, type StreamReader } from "kumiko";
import type { ChainCompileOptions } from "kumiko/compose";

/** Starts one run that waits in the middle for a promise that `wait` makes, and gives what its caller holds. */
export type Park = (wait: () => Promise<number>) => () => unknown;

const step = async (x: number): Promise<number> => x + 1;

/** What a run keeps in memory while it waits for the outside. */
export const parkedWorkloads: Readonly<Record<string, Park>> = {
  "chain of 10": (wait) => {
    const chain = chainOf(wait);
    return () => chain.invoke(0);
  },
  "chain of 10, with a handler": (wait) => {
    const chain = chainOf(wait);
    const callbacks = [{ onStart() {}, onEnd() {} }];
    return () => chain.invoke(0, { callbacks });
  },
  "chain of 10, with the caller's signal": (wait) => {
    const chain = chainOf(wait);
    const { signal } = new AbortController();
    return () => chain.invoke(0, { signal });
  },
  "fan-out to 10": (wait) => {
    const graph = new Graph<number, number>().untyped();
    graph.addNode("join", (parts: Record<string, number>) => Object.keys(parts).length);
    for (let n = 0; n < 10; n++) {
      const part = `part${n}`;
      graph.addNode(part, n === 5 ? wait : step, { outputKey: `part${n}` });
      graph.addEdge(START, part);
      graph.addEdge(part, "join");
    }
    graph.addEdge("join", END);
    const compiled = graph.compile();
    return () => compiled.invoke(0);
  },
  "chain of 10, with a checkpoint": (wait) => {
    const chain = chainOf(wait, { store: memoryStore() });
    let runs = 0;
    return () => chain.invoke(0, { checkpointId: `run-${++runs}` });
  },
  "stream through 5 generator nodes": (wait) => {
    const chain = streamChain();
    return () => {
      const reader = chain.transform(waiting(wait));
      return [reader, reader[Symbol.asyncIterator]().next()];
    };
  },
};

function chainOf(wait: () => Promise<number>, options: ChainCompileOptions = {}) {
  let chain = new Chain<number>().append(step);
  for (let n = 1; n < 10; n++) chain = chain.append(n === 5 ? wait : step);
  return chain.compile(options);
}

function streamChain() {
  const node = () => lambda({ transform: (chunks: StreamReader<number>) => chunksOf(chunks) });
  let chain = new Chain<number>().append(node());
  for (let n = 1; n < 5; n++) chain = chain.append(node());
  return chain.compile();
}

async function* waiting(wait: () => Promise<number>): AsyncGenerator<number, undefined> {
  yield await wait();
}

async function* chunksOf(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk;
}
