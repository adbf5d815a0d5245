import { Chain, END, Graph, memoryStore, START, sleep } from "kumiko";
import { simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorOf } from "../run/rejected-by.js";

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const settings = { durability: "step", history: true } as const;

function twoSteps() {
  return new Chain<string>()
    .append((text) => `${text}1`, { key: "one" })
    .append((text) => `${text}2`, { key: "two" })
    .compile({ store: memoryStore(), ...settings });
}

describe("Edits of a fork", () => {
  it("are checked with the schemas of graphs, before anything is stored", async () => {
    const inner = new Graph({ input: z.string(), output: z.string() })
      .addNode("echo", (text) => text)
      .addEdge(START, "echo")
      .addEdge("echo", END);
    const store = memoryStore();
    const app = new Graph({ input: z.string(), output: z.string() })
      .addNode("inner", inner)
      .addNode("last", (text: string) => text)
      .addEdge(START, "inner")
      .addEdge("inner", "last")
      .addEdge("last", END)
      .compile({ store, ...settings });
    await app.invoke("a", { checkpointId: "run" });
    const entries = await all(app.history("run"));
    const afterNode = (path: string): string => entries.find(({ ran }) => ran.includes(path))?.id ?? "";
    const start = entries.at(-1)?.id;
    const fork = (entry: string | undefined, outputs: Record<string, unknown>) => app.fork("run", { entry, outputs });
    expect(await errorOf(fork(start, { start: 5 }))).toMatchObject({ code: "VALIDATION" });
    expect(await errorOf(fork(afterNode("inner"), { inner: 5 }))).toMatchObject({ code: "VALIDATION" });
    expect(await errorOf(fork(afterNode("last"), { last: 5 }))).toMatchObject({ code: "VALIDATION" });
    expect(await all(store.list(""))).toEqual(["run"]);
    expect(await app.resume(await fork(afterNode("inner"), { inner: "b" }))).toBe("b");
  });

  it("gives the schema of the input what invoke would give it", async () => {
    const app = new Graph({ input: z.object({ count: z.number().default(3) }), output: z.number() })
      .addNode("count", ({ count }: { count: number }) => count)
      .addEdge(START, "count")
      .addEdge("count", END)
      .compile({ store: memoryStore(), ...settings });
    await app.invoke({ count: 1 }, { checkpointId: "run" });
    expect(await app.resume(await app.fork("run", { entry: "1", outputs: { start: {} } }))).toBe(3);
  });

  it("cannot replace what a finished run has given", async () => {
    const app = twoSteps();
    await app.invoke("a", { checkpointId: "run" });
    expect(await errorOf(app.fork("run", { outputs: { two: "b" } }))).toMatchObject({ code: "NOT_EDITABLE" });
  });

  it("names editState when that throws", async () => {
    const app = new Graph<string, string>()
      .withState(() => ({}))
      .addNode("one", (text: string) => text)
      .addEdge(START, "one")
      .addEdge("one", END)
      .compile({ store: memoryStore(), ...settings });
    await app.invoke("a", { checkpointId: "run" });
    const edit = (): never => {
      throw new Error("no");
    };
    const error = await errorOf(app.fork("run", { editState: edit }));
    expect(error).toMatchObject({ code: "NODE_FAILED", message: "editState failed for the graph: no" });
  });
});

describe("What is asked of a history", () => {
  it("throws for options that do not exist or cannot be", async () => {
    const app = twoSteps();
    await app.invoke("a", { checkpointId: "run" });
    const options: unknown[] = [null, 5, [], { entri: "1" }];
    const given = (value: unknown) => value as never;
    for (const wrong of [...options, { limit: -1 }, { limit: "1" }]) {
      expect(await errorOf(all(app.history("run", given(wrong))))).toMatchObject({ code: "INVALID_OPTION" });
    }
    for (const wrong of [...options, { editState: 5 }, { outputs: null }, { outputs: [] }, { outputs: "a" }]) {
      expect(await errorOf(app.fork("run", given(wrong)))).toMatchObject({ code: "INVALID_OPTION" });
    }
    for (const wrong of [...options, { last: -1 }, { last: 1.5 }, { maxAgeMs: "1" }]) {
      expect(await errorOf(app.prune("run", given(wrong)))).toMatchObject({ code: "INVALID_OPTION" });
    }
    for (const wrong of [...options, { takeover: 1 }]) {
      expect(await errorOf(app.forget("run", given(wrong)))).toMatchObject({ code: "INVALID_OPTION" });
    }
    for (const id of [5, undefined, null]) {
      expect(await errorOf(app.fork(given(id)))).toMatchObject({ code: "INVALID_KEY" });
    }
    expect(await all(app.history("run", { limit: undefined, before: undefined }))).toHaveLength(4);
  });

  it("gives a copy an id that fits, however long that of the run is", async () => {
    const id = "x".repeat(485);
    const app = twoSteps();
    await app.invoke("a", { checkpointId: id });
    const copy = await app.fork(id);
    expect(await app.resume(copy)).toBe("a12");
    const tooLong = app.fork(id, { to: "x".repeat(491) });
    expect(await errorOf(tooLong)).toMatchObject({ code: "INVALID_KEY" });
  });

  it("has the input of a fork as it was edited, also once it is read", async () => {
    const app = twoSteps();
    await app.invoke("a", { checkpointId: "run" });
    await app.resume(await app.fork("run", { entry: "1", to: "copy", outputs: { start: "b" } }));
    const { input, output } = await app.stateAt("copy");
    expect([input, output()]).toEqual(["b", "b12"]);
  });
});

it("takes the time of entries from the clock of the Runtime, and their age", async () => {
  await simulate(async ({ runtime, advance }) => {
    const loop = new Graph<number, number>()
      .addNode("wait", sleep(1_000))
      .addNode("count", (count: number) => count + 1)
      .addEdge(START, "wait")
      .addEdge("wait", "count")
      .addBranch("count", ["wait", END], (count: number) => (count < 60 ? "wait" : END));
    const app = loop.compile({
      store: memoryStore(),
      durability: "step",
      history: { maxAgeMs: 5_000 },
      maxSteps: 200,
      runtime,
    });
    await app.invoke(0, { checkpointId: "run" });
    const kept = await all(app.history("run"));
    expect(kept[0]?.at).toBe(60_000);
    expect(kept.length).toBeLessThan(120);
    await advance(60_000);
    expect(await app.prune("run", { maxAgeMs: 5_000 })).toBeGreaterThan(0);
    const copy = await app.fork("run");
    for await (const { at } of app.history(copy)) expect(at).toBe(120_000);
  });
});
