import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Chain, END, Graph, lambda, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { turns } from "./gate.js";

const collectGarbage = ((): (() => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

async function heapUsed(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    await turns();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

const count = 5_000;
/** Far below what even a small object for each run would take. */
const slack = 200_000;

/**
 * How many bytes remain of five thousand repetitions, after as many to let tables grow to their size. What is kept is kept each time,
 * while tables of the engine grow now and then: so a growth beyond the slack is measured again.
 */
async function growthOf(once: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < count; n++) await once(n);
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && growth >= slack; round++) {
    const before = await heapUsed();
    for (let n = 0; n < count; n++) await once(n);
    growth = Math.min(growth, (await heapUsed()) - before);
  }
  return growth;
}

const upper = lambda({
  transform: async function* (chunks: StreamReader<string>): AsyncGenerator<string, void> {
    for await (const chunk of chunks) yield chunk.toUpperCase();
  },
});

const streaming = () =>
  new Graph<string, unknown>()
    .addNode("letters", async function* (text: string) {
      yield* text;
    })
    .addNode("a", upper, { outputKey: "a" })
    .addNode("b", (text: string) => text, { outputKey: "b" })
    .addEdge(START, "letters")
    .addEdge("letters", "a")
    .addEdge("letters", "b")
    .addEdge("a", END)
    .addEdge("b", END)
    .compile();

describe("Five thousand times leave the heap as it was", () => {
  it("runs on one signal", async () => {
    const chain = new Chain<number>()
      .append(async (n) => n + 1)
      .append((n, { signal }) => (signal.aborted ? 0 : n))
      .compile();
    const { signal } = new AbortController();
    expect(await growthOf((n) => chain.invoke(n, { signal }))).toBeLessThan(slack);
  });

  it("watched runs with a time limit", async () => {
    const chain = new Chain<number>()
      .append(async (n) => n + 1)
      .append((n) => n)
      .compile();
    const callbacks = [{ onStart: () => ({}), onEnd: () => undefined }];
    expect(await growthOf((n) => chain.invoke(n, { callbacks, timeoutMs: 60_000 }))).toBeLessThan(slack);
  });

  it("runs that fail", async () => {
    const chain = new Chain<number>()
      .appendParallel({ fails: () => Promise.reject(new Error("no")), waits: async (_n, { signal }) => signal.aborted })
      .compile();
    expect(await growthOf((n) => chain.invoke(n).catch(() => undefined))).toBeLessThan(slack);
  });

  it("runs that are aborted while a node never ends", async () => {
    const chain = new Chain<number>().append(() => new Promise<never>(() => undefined)).compile();
    const run = (n: number) => {
      const controller = new AbortController();
      const result = chain.invoke(n, { signal: controller.signal }).catch(() => undefined);
      controller.abort();
      return result;
    };
    expect(await growthOf(run)).toBeLessThan(slack);
  });

  it("child runs in one long run", async () => {
    const child = new Chain<number>().append(async (n) => n + 1).compile();
    let growth = 0;
    const parent = new Chain<number>()
      .append(async (_n, ctx) => {
        growth = await growthOf((n) => child.invoke(n, { parent: ctx }));
      })
      .compile();
    await parent.invoke(0, { callbacks: [{ onStart: () => undefined }] });
    expect(growth).toBeLessThan(slack);
  });

  it("streams that are read to their end", async () => {
    const graph = streaming();
    expect(await growthOf(() => graph.stream("abc").concat())).toBeLessThan(slack);
  });

  it("streams that are half read", async () => {
    const graph = streaming();
    const { signal } = new AbortController();
    const half = async () => {
      for await (const _chunk of graph.stream("abc", { signal })) break;
    };
    expect(await growthOf(half)).toBeLessThan(slack);
  });

  it("streams that are cancelled, before and after the first read", async () => {
    const graph = streaming();
    const { signal } = new AbortController();
    const cancelled = async (n: number) => {
      const stream = graph.transform(StreamReader.from(["ab", "c"]), { signal });
      if (n % 2 === 0) await stream.next();
      await stream.cancel();
    };
    expect(await growthOf(cancelled)).toBeLessThan(slack);
  });

  it("rounds of a loop that streams, in one run", async () => {
    let heaps: number[] = [];
    const graph = new Graph<number, number>()
      .addNode("count", async function* (n: number) {
        if (n % 5_000 === 0) heaps.push(await heapUsed());
        yield n + 1;
      })
      .addEdge(START, "count")
      .addStreamBranch("count", ["count", END], async (numbers) => ((await numbers.concat()) < 20_000 ? "count" : END))
      .compile({ maxSteps: 20_000 });
    expect(await graph.stream(0).concat()).toBe(20_000);
    heaps = heaps.slice(1);
    const growths = heaps.slice(1).map((heap, index) => heap - (heaps[index] ?? 0));
    expect(Math.min(...growths)).toBeLessThan(slack);
  });
});
