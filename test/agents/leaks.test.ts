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

const count = 1_000;
/** A turn that is kept would take four thousand bytes; tables that grow take some hundred thousand at most. */
const slack = 500_000;

async function growthOf(once: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < count; n++) await once(n);
  const before = await heapUsed();
  for (let n = 0; n < count; n++) await once(count + n);
  return (await heapUsed()) - before;
}

const answer = assistantMessage("x");
const model = { component: "model", generate: async () => answer } as const;

describe("A thousand turns leave the heap as it was", () => {
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
