import { type CacheStore, Graph, memoryCache } from "kumiko";
import { describe, expect, it } from "vitest";
import { turns } from "../gate.js";

/** Waits until something holds; the test's own time limit ends a wait in vain. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function build(store: CacheStore) {
  const made: string[] = [];
  const app = new Graph<string, string>()
    .addNode(
      "work",
      async function* (text: string) {
        made.push(text);
        yield text;
        yield "b";
      },
      { concat: "text", cache: { store, coalesce: true } },
    )
    .addEdge("start", "work")
    .addEdge("work", "end")
    .compile({ name: "app" });
  return { app, made };
}

it("gives those who wait the output although nobody reads the stream of the first", async () => {
  const { app, made } = build(memoryCache());
  const first = app.stream("a")[Symbol.asyncIterator]();
  await first.next();
  expect(await app.invoke("a")).toBe("ab");
  await first.return?.();
  expect(made).toEqual(["a"]);
});

it("lets the next one make it when the first is aborted while it looks into the store", async () => {
  const cache = memoryCache();
  const caller = new AbortController();
  const store: CacheStore = {
    get: (key) => {
      if (!caller.signal.aborted) caller.abort(new Error("enough"));
      return cache.get(key);
    },
    set: (key, data, ttlMs) => cache.set(key, data, ttlMs),
    deletePrefix: (prefix) => cache.deletePrefix(prefix),
  };
  const { app, made } = build(store);
  await expect(app.invoke("a", { signal: caller.signal })).rejects.toThrow("enough");
  expect(await app.invoke("a")).toBe("ab");
  expect(made).toEqual(["a"]);
});

/** A node whose calls end when the test says so, whatever their signal says. */
function deaf(store: CacheStore = memoryCache()) {
  const ends: (() => void)[] = [];
  const app = new Graph<string, string>()
    .addNode(
      "work",
      async (text: string) => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return `${text}${ends.length}`;
      },
      { cache: { store, coalesce: true } },
    )
    .addEdge("start", "work")
    .addEdge("work", "end")
    .compile({ name: "deaf" });
  return { app, ends };
}

const modes = [
  ["invoke", (app: ReturnType<typeof deaf>["app"], options?: object) => app.invoke("a", options)],
  ["stream", (app: ReturnType<typeof deaf>["app"], options?: object) => app.stream("a", options).concat()],
] as const;

describe.each(modes)("A run that computes for others, with %s", (_, run) => {
  it("lets the next one compute when it is aborted, although its node ignores the signal", async () => {
    const { app, ends } = deaf();
    const caller = new AbortController();
    const first = run(app, { signal: caller.signal });
    await until(() => ends.length === 1);
    const second = run(app);
    const third = run(app);
    await turns();
    caller.abort(new Error("left"));
    await expect(first).rejects.toThrow("left");
    await until(() => ends.length === 2);
    ends[1]?.();
    expect(await Promise.all([second, third])).toEqual(["a2", "a2"]);
    expect(await run(app)).toBe("a2");
  });

  it("does not let others wait for a cache that does not store the value", async () => {
    const cache = memoryCache();
    const { app, ends } = deaf({
      get: (key) => cache.get(key),
      set: () => new Promise<void>(() => undefined),
      deletePrefix: (prefix) => cache.deletePrefix(prefix),
    });
    void run(app).catch(() => undefined);
    await until(() => ends.length === 1);
    const second = run(app);
    await turns();
    ends[0]?.();
    expect(await second).toBe("a1");
  });
});
