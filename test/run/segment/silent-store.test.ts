import { Chain, memoryStore, Runtime } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { CheckpointStore } from "kumiko/compose";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { fastClock } from "../../fast-clock.js";
import { rejectedBy } from "../rejected-by.js";

type Method = "get" | "put" | "append" | "list" | "isOwnerAlive";

/** A store that never answers the calls of one method. */
function silentStore(method: Method, rows = memoryStore()): CheckpointStore {
  const never = <T>(): Promise<T> => new Promise(() => undefined);
  return {
    get: (id) => (method === "get" ? never() : rows.get(id)),
    put: (...args) => (method === "put" ? never() : rows.put(...args)),
    append: (...args) => (method === "append" ? never() : (rows.append?.(...args) ?? never())),
    delete: (...args) => rows.delete(...args),
    isOwnerAlive: () => (method === "isOwnerAlive" ? never() : Promise.resolve(true)),
    async *list(prefix) {
      if (method === "list") await never();
      yield* rows.list(prefix);
    },
  };
}

const runtime = new Runtime({ clock: fastClock });

const chainOn = (store: CheckpointStore) =>
  new Chain<string>()
    .append((text) => `${text}!`)
    .append((text) => `${text}!`)
    .compile({ name: "line", store, runtime });

describe("A segment whose store does not answer", () => {
  it.each<Method>(["get", "put", "append"])("rejects when it is aborted: %s", async (method) => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const signal = AbortSignal.timeout(5);
    const given = method === "get" ? {} : { input: "a" };
    const error = await rejectedBy(chainOn(silentStore(method)).segment("7", { ...given, signal }));
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  it("rejects when its time is over", async () => {
    const error = await rejectedBy(chainOn(silentStore("get")).segment("7", { timeoutMs: 200 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  it("rejects while it asks for the owner of a run", async () => {
    const rows = memoryStore();
    await chainOn(rows).segment("7", { input: "a" });
    const row = await rows.get("7");
    if (row === undefined) throw new Error("Nothing is stored.");
    const document = JSON.parse(new TextDecoder().decode(row.data));
    const running = { ...document, status: "running", owner: "node/far/1/x", claim: "x.1" };
    await rows.put("7", new TextEncoder().encode(JSON.stringify(running)), row.version);
    const error = await rejectedBy(chainOn(silentStore("isOwnerAlive", rows)).segment("7", { timeoutMs: 200 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  it.each<Method>(["get", "put", "list"])("rejects the turn of an agent: %s", async (method) => {
    const agent = createAgent({ name: "clerk", runtime, store: silentStore(method), model: scriptedModel("Hello.") });
    const turn = { threadId: "t", requestId: "r" };
    const error = await rejectedBy(agent.segment(turn, { input: "Hi", timeoutMs: 200 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
  });
});

describe("A segment that ends while its store is away", () => {
  it.each([
    ["its store has been away for too long", { storeWaitMs: 300 }],
    ["its time is over", { timeoutMs: 300 }],
  ])("leaves a run that others can take once the store is back: %s", async (_why, limit) => {
    const rows = memoryStore();
    let isAway = false;
    let tries = 0;
    const write = <T>(call: () => Promise<T>): Promise<T> => {
      tries += 1;
      return isAway ? Promise.reject(new Error("away")) : call();
    };
    const store: CheckpointStore = {
      get: (id) => rows.get(id),
      put: (...args) => write(() => rows.put(...args)),
      append: (...args) => write(() => rows.append?.(...args) ?? Promise.reject(new Error("It cannot append."))),
      delete: (...args) => write(() => rows.delete(...args)),
      isOwnerAlive: () => Promise.resolve(true),
      list: (prefix) => rows.list(prefix),
    };
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const app = new Chain<string>()
      .append((text) => {
        isAway = tries < 2;
        return `${text}!`;
      })
      .append((text) => `${text}!`)
      .compile({ name: "line", store, runtime, durability: "step" });
    await rejectedBy(app.segment("7", { input: "a", ...limit }));
    const before = tries;
    // it has tried in vain, more than once
    await vi.waitFor(() => expect(tries).toBeGreaterThan(before + 2), 20_000);
    isAway = false;
    await vi.waitFor(
      async () =>
        expect(await app.segment("7", { onBusy: "return" })).toMatchObject({ status: "finished", output: "a!!" }),
      20_000,
    );
  });
});
