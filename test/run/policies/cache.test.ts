import { type CacheStore, Chain, each, Graph, memoryCache, memoryStore, Runtime } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
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
    const one = policyApp(counting().work, { cache: { store, version: "1" } }, { name: "app" });
    const two = policyApp(counting().work, { cache: { store, version: "2" } }, { name: "app" });
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
    const store = { get: broken, set: broken, deletePrefix: broken };
    const { app } = policyApp(counting().work, { cache: { store } }, { name: "app" });
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

describe("The entries of a cache", () => {
  const upper = (text: string): unknown => text.toUpperCase();
  const size = (text: string): unknown => text.length;
  /** A store as one that keeps its entries after the process. */
  const lasting = (): CacheStore => {
    const cache = memoryCache();
    return {
      get: (key) => cache.get(key),
      set: (key, data, ttlMs) => cache.set(key, data, ttlMs),
      deletePrefix: (prefix) => cache.deletePrefix(prefix),
    };
  };

  it("belong to one unnamed graph each, alone, nested and with coalesce", async () => {
    const runtime = new Runtime({ cache: memoryCache() });
    for (const cache of [true, { coalesce: true }, { key: () => "same" }, { version: "1" }]) {
      const chain = (work: typeof upper) => new Chain<string>().append(work, { cache });
      const nested = (work: typeof upper) =>
        new Chain<string>().append(chain(work).compile({ runtime })).compile({ runtime });
      const child = (work: typeof upper) => {
        const inner = chain(work).compile({ runtime });
        return new Chain<string>().append((text, ctx) => inner.invoke(text, { parent: ctx })).compile({ runtime });
      };
      const items = (work: typeof upper) =>
        new Chain<string[]>().append(each(work as (item: string) => unknown), { cache }).compile({ runtime });
      for (const make of [(work: typeof upper) => chain(work).compile({ runtime }), nested, child]) {
        const [first, second] = [make(upper), make(size)];
        expect(await Promise.all([first.invoke("abc"), second.invoke("abc")])).toEqual(["ABC", 3]);
        expect([await first.invoke("abc"), await second.invoke("abc")]).toEqual(["ABC", 3]);
      }
      expect([await items(upper).invoke(["abc"]), await items(size).invoke(["abc"])]).toEqual([["ABC"], [3]]);
    }
  });

  it("are shared by graphs of one name", async () => {
    const { work, count } = counting();
    const store = lasting();
    for (let n = 0; n < 2; n++) {
      const app = new Chain<string>().append(work, { cache: { store } }).compile({ name: "shared" });
      expect(await app.invoke("a")).toBe("a1");
    }
    expect(count()).toBe(1);
  });

  it("need a named graph where they outlive the process, also for a node of an inner graph", () => {
    const cache = { store: lasting() };
    const inner = new Chain<string>().append(upper, { key: "slow", cache });
    expect(() => inner.compile()).toThrow(/Node "slow" has a cache that outlives the process.*compile\(\{ name/);
    const outer = new Chain<string>().append(inner, { key: "inner" });
    expect(() => outer.compile()).toThrow(/Node "inner\/slow" has a cache/);
    expect(() => outer.compile({ name: "outer" })).not.toThrow();
    expect(() => new Chain<string>().append(inner.compile({ name: "inner" })).compile()).toThrow(/has a cache/);
    const byDefault = new Chain<string>().append(upper);
    expect(() => byDefault.compile({ runtime: new Runtime({ cache: cache.store }) })).not.toThrow();
    expect(() => byDefault.compile({ nodeDefaults: { cache } })).toThrow(/has a cache/);
  });
});
