import { type CheckpointStore, createTool, memoryStore, Runtime } from "kumiko";
import { createAgent, createMiddleware, threads } from "kumiko/agents";
import { manualClock, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { failureOf, weatherCall, weatherTool } from "./agents.js";

/** Calls back once, after the first turn of the thread was written as done. */
function afterDone(store: CheckpointStore, done: () => Promise<void>): CheckpointStore {
  let isCalled = false;
  return {
    get: (id) => store.get(id),
    delete: (id, ifVersion) => store.delete(id, ifVersion),
    list: (prefix) => store.list(prefix),
    append: (id, data, ifVersion) => store.append?.(id, data, ifVersion) ?? Promise.reject(new Error("no append")),
    put: async (id, data, ifVersion) => {
      const version = await store.put(id, data, ifVersion);
      const isDone = id === "~thread/t/00000001" && new TextDecoder().decode(data).includes('"status":"done"');
      if (isDone && !isCalled) {
        isCalled = true;
        await done();
      }
      return version;
    },
  };
}

it("a turn that begins while the run of the one before it is being ended leaves that run alone", async () => {
  const store = memoryStore();
  const second = createAgent({ model: scriptedModel("two"), store });
  const watched = afterDone(store, async () => {
    expect((await second.generate("b", { threadId: "t" })).text).toBe("two");
  });
  const first = createAgent({ model: scriptedModel("one"), store: watched });
  expect((await first.generate("a", { threadId: "t" })).text).toBe("one");
  const messages = await threads(store).messages("t");
  expect(messages).toHaveLength(4);
  const left: string[] = [];
  for await (const id of store.list("~thread/t/")) left.push(id);
  expect(left).toEqual(["~thread/t/00000001", "~thread/t/00000002"]);
});

/** A gate that never opens, and tells when somebody stands before it. */
function deaf() {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const wait = (): Promise<never> => {
    arrive();
    return new Promise(() => undefined);
  };
  return { arrived, wait };
}

const left = new Error("The caller left.");

describe("a call that waits for its turn", () => {
  it("ends when its own signal is aborted, although the turn before it goes on", async () => {
    const { arrived, wait } = deaf();
    const agent = createAgent({ model: scriptedModel(wait), store: memoryStore() });
    const stop = new AbortController();
    const first = failureOf(agent.generate("a", { threadId: "t", signal: stop.signal }));
    await arrived;
    for (const way of ["generate", "stream"] as const) {
      const own = new AbortController();
      const options = { threadId: "t", onBusy: "wait", signal: own.signal } as const;
      const waiting = way === "generate" ? agent.generate("b", options) : agent.stream("b", options).result;
      setTimeout(() => own.abort(left), 5);
      expect(await failureOf(waiting)).toBe(left);
    }
    stop.abort(left);
    await first;
  });

  const places: [string, (wait: () => Promise<never>) => Partial<Parameters<typeof createAgent>[0]>][] = [
    ["model", (wait) => ({ model: scriptedModel(wait) })],
    [
      "tool",
      (wait) => ({
        model: scriptedModel([weatherCall("1", "Kyoto")]),
        tools: [createTool({ id: "get_weather", description: "", inputSchema: { type: "object" }, execute: wait })],
      }),
    ],
    ["instructions", (wait) => ({ instructions: wait })],
    ["hook", (wait) => ({ middleware: [createMiddleware({ name: "slow", beforeAgent: wait })] })],
    [
      "stopWhen",
      (wait) => ({
        model: scriptedModel([weatherCall("1", "Kyoto")]),
        tools: [weatherTool().tool],
        stopWhen: wait,
      }),
    ],
  ];
  it.each(places)(
    "goes on when the turn before it is aborted, although its %s heeds no signal",
    async (_name, options) => {
      for (const way of ["generate", "stream"] as const) {
        const { arrived, wait } = deaf();
        const store = memoryStore();
        const first = createAgent({ model: scriptedModel("one"), ...options(wait), store });
        const stop = new AbortController();
        const given = { threadId: "t", signal: stop.signal };
        const broken = failureOf(way === "generate" ? first.generate("a", given) : first.stream("a", given).result);
        await arrived;
        const next = createAgent({ model: scriptedModel("two"), store }).generate("b", {
          threadId: "t",
          onBusy: "wait",
        });
        stop.abort(left);
        expect(await broken).toBe(left);
        expect((await next).text).toBe("two");
      }
    },
  );
});

describe("a caller who leaves", () => {
  const silentAt = (silent: "get" | "put") => {
    const inner = memoryStore();
    const { arrived, wait } = deaf();
    let isSilent = false;
    const store: CheckpointStore = {
      get: (id) => (isSilent && silent === "get" ? wait() : inner.get(id)),
      put: (id, data, ifVersion) => (isSilent && silent === "put" ? wait() : inner.put(id, data, ifVersion)),
      delete: (id, ifVersion) => inner.delete(id, ifVersion),
      list: (prefix) => inner.list(prefix),
    };
    const fall = (): void => {
      isSilent = true;
    };
    return { store, arrived, fall };
  };

  it.each(["get", "put"] as const)(
    "does not wait for a store whose %s does not answer as the turn begins",
    async (name) => {
      const clock = manualClock();
      const { store, arrived, fall } = silentAt(name);
      const agent = createAgent({ model: scriptedModel("one", "two"), store, runtime: new Runtime({ clock }) });
      await agent.generate("a", { threadId: "t" });
      fall();
      const stop = new AbortController();
      const waiting = failureOf(agent.generate("b", { threadId: "t", signal: stop.signal }));
      await arrived;
      stop.abort(left);
      await new Promise((resolve) => setTimeout(resolve));
      clock.advance(1_000);
      expect(await waiting).toBe(left);
    },
  );

  it("does not wait for a store that does not answer as the turn is closed", async () => {
    const clock = manualClock();
    const { store, fall } = silentAt("put");
    const { arrived, wait } = deaf();
    const agent = createAgent({ model: scriptedModel(wait), store, runtime: new Runtime({ clock }) });
    const stop = new AbortController();
    const waiting = failureOf(agent.generate("a", { threadId: "t", signal: stop.signal }));
    await arrived;
    fall();
    stop.abort(left);
    const ended = waiting.then((error) => ({ error }));
    let found: { error: unknown } | undefined;
    for (let tries = 0; tries < 50 && found === undefined; tries++) {
      await new Promise((resolve) => setTimeout(resolve));
      clock.advance(1_000);
      found = await Promise.race([ended, Promise.resolve(undefined)]);
    }
    expect(found?.error).toBe(left);
  });
});
