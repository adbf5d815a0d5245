import { expect, it } from "vitest";
import type { CacheStore } from "../../../src/components/policies.js";
import { Graph } from "../../../src/compose/graph.js";
import { memoryCache } from "../../../src/compose/memory-cache.js";

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
    .compile();
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
