import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assistantMessage, Chain, memoryStore, userMessage } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { describe, expect, it } from "vitest";

const collectGarbage = ((): (() => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

async function heapUsed(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

const count = 500;
/** A turn that is kept takes four thousand bytes. */
const slack = 250_000;

/** How many bytes remain of some hundred repetitions. What is kept is kept each time; tables of the engine grow now and then. */
async function growthOf(once: (n: number) => Promise<unknown>): Promise<number> {
  const sizes: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < count; n++) await once(round * count + n);
    sizes.push(await heapUsed());
  }
  return Math.min(...sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0)));
}

const answer = assistantMessage("x");
const model = { component: "model", generate: async () => answer } as const;

describe("Hundreds of turns leave the heap as it was", () => {
  it("of threads that are removed", async () => {
    const store = memoryStore();
    const agent = createAgent({ model, store });
    const once = async (n: number) => {
      await agent.generate("Hi", { threadId: `t${n}`, userId: "ann" });
      await threads(store).delete(`t${n}`);
    };
    // a store never uses a version twice, so it remembers the ids that it had
    expect((await growthOf(once)) / count).toBeLessThan(1_000);
  });

  it("of one thread that is cut again and again", async () => {
    const store = memoryStore();
    const agent = createAgent({ model, store });
    const once = async () => {
      await agent.generate("Hi", { threadId: "t" });
      await threads(store).truncate("t", 0);
    };
    expect(await growthOf(once)).toBeLessThan(slack);
  });

  it("without a thread, with a store and without one", async () => {
    const kept = createAgent({ model, store: memoryStore() });
    const bare = createAgent({ model });
    expect(await growthOf(() => kept.generate("Hi"))).toBeLessThan(slack);
    expect(await growthOf(() => bare.stream("Hi").text)).toBeLessThan(slack);
  });

  it("in a graph that is streamed", async () => {
    const app = new Chain<string>()
      .append((text: string) => [userMessage(text)])
      .append(createAgent({ model }).graph)
      .compile();
    expect(await growthOf(() => app.stream("Hi").concat())).toBeLessThan(slack);
  });
});
