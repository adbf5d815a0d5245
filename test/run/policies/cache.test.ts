import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../src/checkpoint/memory-store.js";
import type { CacheStore } from "../../../src/components/policies.js";
import { Graph } from "../../../src/compose/graph.js";
import { memoryCache } from "../../../src/compose/memory-cache.js";
import { Runtime } from "../../../src/compose/runtime.js";
import { recordingHandler } from "../../../src/testing/recording-handler.js";
import { policyApp, streamed } from "./policy-app.js";

function counting(): { work: (text: string) => string; count: () => number } {
  let count = 0;
  return { work: (text) => `${text}${++count}`, count: () => count };
}

describe.each(["invoke", "stream"] as const)("cache in %s", (mode) => {
  const run = (app: ReturnType<typeof policyApp>["app"], input: string, options?: object): Promise<string> =>
    mode === "invoke" ? app.invoke(input, options) : streamed(app, input, options);

  it("gives the same output for the same input, and tells so", async () => {
    const handler = recordingHandler();
    const { app } = policyApp(counting().work, { cache: { store: memoryCache() } });
    expect(await run(app, "a")).toBe("a1");
    expect(await run(app, "a", { callbacks: [handler] })).toBe("a1");
    expect(await run(app, "b")).toBe("b2");
    expect(handler.events.filter(({ timing }) => timing === "onEvent").map(({ value }) => value)).toMatchObject([
      { kind: "cache_hit" },
    ]);
  });

  it("forgets after its time, on the clock of the runtime", async () => {
    const { app, clock } = policyApp(counting().work, { cache: { store: memoryCache(), ttlMs: 1_000 } });
    expect(await run(app, "a")).toBe("a1");
    clock.advance(999);
    expect(await run(app, "a")).toBe("a1");
    clock.advance(1);
    expect(await run(app, "a")).toBe("a2");
  });

  it("tells versions and keys apart, and caches nothing without a key", async () => {
    const store = memoryCache();
    const one = policyApp(counting().work, { cache: { store, version: "1" } });
    const two = policyApp(counting().work, { cache: { store, version: "2" } });
    expect(await run(one.app, "a")).toBe("a1");
    expect(await run(two.app, "a")).toBe("a1");
    const keyed = policyApp(counting().work, {
      cache: { store, key: (text) => (text === "no" ? undefined : text.slice(0, 1)) },
    });
    expect(await run(keyed.app, "ab")).toBe("ab1");
    expect(await run(keyed.app, "ac")).toBe("ab1");
    expect(await run(keyed.app, "no")).toBe("no2");
    expect(await run(keyed.app, "no")).toBe("no3");
  });

  it("keeps no failure, and nothing that fallback gave", async () => {
    let count = 0;
    const { app } = policyApp(
      () => {
        throw new Error(`${++count}`);
      },
      { cache: { store: memoryCache() }, fallback: () => `fallback ${count}` },
    );
    expect(await run(app, "a")).toBe("fallback 1");
    expect(await run(app, "a")).toBe("fallback 2");
  });

  it("goes on without a store that fails", async () => {
    const handler = recordingHandler();
    const broken = async (): Promise<never> => {
      throw new Error("down");
    };
    const { app } = policyApp(counting().work, {
      cache: { store: { get: broken, set: broken, deletePrefix: broken } },
    });
    expect(await run(app, "a", { callbacks: [handler] })).toBe("a1");
    expect(await run(app, "a")).toBe("a2");
    const events = handler.events.filter(({ timing }) => timing === "onEvent").map(({ value }) => value);
    expect(events).toMatchObject([
      { kind: "cache_failed", operation: "get" },
      { kind: "cache_failed", operation: "set" },
    ]);
  });

  it("keeps nothing of a visit that asked", async () => {
    let asked = 0;
    const { app } = policyApp(
      async (_text, ctx) => {
        asked++;
        return ctx.ask<string>("name", "who?");
      },
      { cache: { store: memoryCache() } },
      { store: memoryStore() },
    );
    for (const [id, name] of [
      ["1", "Ada"],
      ["2", "Bob"],
    ] as const) {
      const stopped = await run(app, "a", { checkpointId: id }).catch((error) => error);
      expect(await app.resume(id, { [stopped.interrupts[0].id]: name })).toBe(name);
    }
    expect(asked).toBe(4);
  });

  it("lets those who look for the same wait for the first, and go on when that fails", async () => {
    let count = 0;
    const releases: (() => void)[] = [];
    const { app } = policyApp(
      async (text) => {
        const own = ++count;
        await new Promise<void>((resolve) => releases.push(resolve));
        if (own === 1) throw new Error("broken");
        return `${text}${own}`;
      },
      { cache: { store: memoryCache(), coalesce: true } },
    );
    const runs = [run(app, "a"), run(app, "a"), run(app, "a")];
    const settled = Promise.allSettled(runs);
    await vi.waitFor(() => expect(count).toBe(1));
    releases[0]?.();
    await vi.waitFor(() => expect(count).toBe(2));
    releases[1]?.();
    // which of the runs comes first to the node is not said
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toEqual([
      { status: "fulfilled", value: "a2" },
      { status: "fulfilled", value: "a2" },
    ]);
  });
});

it("gives a copy each time, and finds records whatever the order of their fields", async () => {
  let count = 0;
  const app = new Graph<{ a: number; b?: Date }, { list: number[] }>()
    .addNode("work", ({ a }: { a: number; b?: Date }) => ({ list: [a, ++count] }), { cache: true })
    .addEdge("start", "work")
    .addEdge("work", "end")
    .compile({ runtime: new Runtime({ cache: memoryCache() }) });
  const date = new Date(0);
  const first = await app.invoke({ a: 1, b: date });
  const second = await app.invoke({ b: new Date(0), a: 1 });
  expect(second).toEqual({ list: [1, 1] });
  second.list.push(9);
  expect(first).toEqual({ list: [1, 1] });
  expect(await app.invoke({ a: 1, b: date })).toEqual({ list: [1, 1] });
  expect(await app.invoke({ a: 1 })).toEqual({ list: [1, 2] });
});

it("forgets by the beginning of a key: the graph and the path", async () => {
  const keys: string[] = [];
  const cache = memoryCache();
  const store: CacheStore = {
    ...bound(cache),
    set: (key, data) => {
      keys.push(key);
      return cache.set(key, data);
    },
  };
  const { app } = policyApp((text) => text, { cache: { store } }, { name: "my graph" });
  await app.invoke("a");
  expect(keys[0]).toMatch(/^my%20graph\/work\/[0-9a-f]{64}$/);
});

function bound(store: CacheStore): CacheStore {
  return {
    get: (key) => store.get(key),
    set: (key, data, ttlMs) => store.set(key, data, ttlMs),
    deletePrefix: (prefix) => store.deletePrefix(prefix),
  };
}
