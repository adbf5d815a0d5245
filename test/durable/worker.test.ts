import { Chain, memoryStore, Runtime } from "kumiko";
import type { CheckpointStore, DurableApp, RunRow, SegmentOptions } from "kumiko/compose";
import { runs, startWorker } from "kumiko/durable";
import { manualClock } from "kumiko/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { orderApp, shoutApp } from "./orders.js";
import { bareStore, describeStores } from "./stores.js";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

/** A graph whose node waits until it is told to go on. */
function slowApp(store: CheckpointStore, options: { readonly runtime?: Runtime } = {}) {
  const started: string[] = [];
  const aborted: string[] = [];
  const waiting: (() => void)[] = [];
  let most = 0;
  const app = new Chain<string>()
    .append(async (text, ctx) => {
      started.push(text);
      most = Math.max(most, waiting.length + 1);
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        ctx.signal?.addEventListener("abort", () => {
          aborted.push(text);
          reject(ctx.signal?.reason);
        });
      });
      return `${text}!`;
    })
    .compile({ name: "slow", store, ...options });
  const go = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { app, started, aborted, go, most: () => most };
}

/** An app whose segments are what a test says. */
function scripted(store: CheckpointStore, segment: DurableApp["segment"], runtime?: Runtime) {
  const app = shoutApp({ store, ...(runtime !== undefined && { runtime }) });
  return Object.assign(Object.create(app) as typeof app, { segment });
}

describeStores("a worker with a store", (open) => {
  it("runs what is enqueued, answered and retried until nothing is left", async () => {
    const store = open();
    const list = runs(store);
    const order = orderApp({ store });
    for (const id of ["1", "2", "3"]) await list.enqueue("order", `tea ${id}`, { id });
    const worker = startWorker({ order, shout: shoutApp({ store }) }, { pollMs: 20 });
    await worker.idle();
    const run = await list.get("1");
    expect(run).toMatchObject({ status: "waiting" });
    const answers = Object.fromEntries((run?.interrupts ?? []).map(({ id, key }) => [id, key === "send" || "silk"]));
    await list.answer("1", answers);
    await list.enqueue("shout", "milk", { id: "4" });
    await worker.idle();
    expect(await list.get("1")).toMatchObject({ status: "finished", output: "sent TEA 1 in silk" });
    expect(await list.get("4")).toMatchObject({ status: "finished", output: "MILK" });
    expect(await list.get("2")).toMatchObject({ status: "waiting" });
    await worker.stop();
  });

  it("shares the runs with other workers: each is begun once", async () => {
    const store = open();
    const log: string[] = [];
    const list = runs(store);
    const app = new Chain<string>()
      .append((text) => {
        log.push(text);
        return text;
      })
      .compile({ name: "log", store });
    const ids = Array.from({ length: 30 }, (__, n) => `${n}`);
    for (const id of ids) await list.enqueue("log", id, { id });
    const errors: unknown[] = [];
    const options = { concurrency: 3, pollMs: 20, onError: (error: unknown) => errors.push(error) };
    const workers = [1, 2, 3].map(() => startWorker({ log: app }, options));
    await Promise.all(workers.map((worker) => worker.idle()));
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(log.sort()).toEqual([...ids].sort());
    expect(errors).toEqual([]);
  });

  it("works on no more at a time than it may, and only on what has its prefix", async () => {
    const store = open();
    const { app, started, go, most } = slowApp(store);
    for (const id of ["a/1", "b/1", "a/2", "a/3"]) await runs(store).enqueue("slow", id, { id });
    const worker = startWorker({ slow: app }, { concurrency: 2, prefix: "a/", pollMs: 20 });
    await vi.waitFor(() => expect(started).toHaveLength(2));
    const idle = worker.idle();
    go();
    await vi.waitFor(() => expect(started).toHaveLength(3));
    go();
    await idle;
    await worker.stop();
    expect([most(), [...started].sort()]).toEqual([2, ["a/1", "a/2", "a/3"]]);
  });

  it("interrupts its runs when it stops, and leaves them for others", async () => {
    const store = open();
    const { app, started, go } = slowApp(store);
    const list = runs(store);
    await list.enqueue("slow", "tea", { id: "1" });
    const worker = startWorker({ slow: app }, { pollMs: 20 });
    await vi.waitFor(() => expect(started).toHaveLength(1));
    await Promise.all([worker.stop({ timeoutMs: 0 }), worker.stop()]);
    expect(await list.get("1")).toMatchObject({ status: "ready" });
    await list.enqueue("slow", "milk", { id: "2" });
    await worker.idle();
    expect(started).toEqual(["tea"]);
    const other = startWorker({ slow: app }, { pollMs: 20 });
    await vi.waitFor(() => expect(started).toHaveLength(3));
    go();
    await other.idle();
    await other.stop();
    expect(await list.get("1")).toMatchObject({ status: "finished", output: "tea!" });
  });
});

describe("a worker", () => {
  it("refuses apps under other names, without a store, or with several", async () => {
    const store = memoryStore();
    const shout = shoutApp({ store });
    const wrong: readonly [Readonly<Record<string, DurableApp>>, RegExp][] = [
      [{}, /needs an object of compiled graphs/],
      [{ other: shout }, /named "shout"/],
      [{ shout: shoutApp({}) }, /has no store/],
      [{ shout, order: orderApp({ store: memoryStore() }) }, /another store/],
      [{ shout: { segment: shout.segment } }, /must be a compiled graph/],
    ];
    for (const [apps, message] of wrong) {
      const error = await errorOf(Promise.resolve().then(() => startWorker(apps)));
      expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringMatching(message) });
    }
    const error = await errorOf(Promise.resolve().then(() => startWorker({ shout }, { concurrency: 0 })));
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
  });

  it("hears of runs from its store, without waiting for the next poll", async () => {
    const clock = manualClock();
    const runtime = new Runtime({ clock });
    const store = memoryStore();
    const worker = startWorker({ shout: shoutApp({ store, runtime }) });
    await worker.idle();
    await runs(store).enqueue("shout", "tea", { id: "1" });
    await vi.waitFor(async () => expect(await runs(store).get("1")).toMatchObject({ status: "finished" }));
    await worker.stop();
  });

  it("finds runs by itself where nobody tells it, each second", async () => {
    const clock = manualClock();
    const runtime = new Runtime({ clock });
    const store = bareStore(memoryStore());
    const worker = startWorker({ shout: shoutApp({ store, runtime }) });
    await worker.idle();
    await runs(store).enqueue("shout", "tea", { id: "1" });
    expect(await runs(store).get("1")).toMatchObject({ status: "ready" });
    clock.advance(1_000);
    await worker.idle();
    expect(await runs(store).get("1")).toMatchObject({ status: "finished" });
    await worker.stop();
  });

  it("goes on once a deadline has passed", async () => {
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const store = memoryStore();
    const order = orderApp({ store, runtime }, [], 5_000);
    await runs(store, { runtime }).enqueue("order", "tea", { id: "1" });
    const worker = startWorker({ order });
    await worker.idle();
    expect(await runs(store, { runtime }).get("1")).toMatchObject({ status: "waiting" });
    clock.advance(5_000);
    await worker.idle();
    expect(await runs(store, { runtime }).get("1")).toMatchObject({
      status: "failed",
      error: { code: "QUESTION_EXPIRED" },
    });
    await worker.stop();
  });

  it("takes the runs of dead processes first, and asks for each process once a second", async () => {
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const inner = memoryStore();
    const asked: string[] = [];
    const store: CheckpointStore = Object.assign(Object.create(inner) as CheckpointStore, bind(inner), {
      isOwnerAlive: async (owner: string) => {
        asked.push(owner);
        return owner !== "dead";
      },
    });
    const taken: string[] = [];
    const segment: DurableApp["segment"] = async (id) => {
      taken.push(String(id));
      await inner.delete(String(id));
      return { ...finished, id: String(id) };
    };
    const row = async (id: string, owner?: string) => {
      const status = owner === undefined ? "ready" : "running";
      const index = { status, graph: "shout", since: 5, owner } as const;
      await inner.put(id, new TextEncoder().encode("{}"), undefined, index);
    };
    await row("ready");
    await row("of the living", "alive");
    await row("of the dead", "dead");
    await row("also of the dead", "dead");
    const worker = startWorker({ shout: scripted(store, segment, runtime) }, { concurrency: 1, pollMs: 100 });
    await vi.waitFor(() => expect(taken).toHaveLength(3));
    expect(taken.slice(0, 1)[0]).toMatch(/of the dead/);
    await worker.idle();
    expect(asked.filter((owner) => owner === "alive")).toHaveLength(1);
    for (let n = 0; n < 15; n++) {
      clock.advance(100);
      await worker.idle();
    }
    expect(asked.filter((owner) => owner === "alive")).toHaveLength(2);
    await worker.stop();
  });

  it("chooses at random among the oldest three for each free place", async () => {
    const store = memoryStore();
    const clock = manualClock(1_000);
    const runtime = new Runtime({ clock, random: () => 0 });
    const taken: string[] = [];
    for (const id of ["1", "2", "3", "4", "5"]) {
      clock.advance(1);
      await runs(store, { runtime }).enqueue("shout", "tea", { id });
    }
    const segment: DurableApp["segment"] = (id) => {
      taken.push(String(id));
      return new Promise(() => undefined);
    };
    startWorker({ shout: scripted(store, segment, runtime) }, { concurrency: 1 });
    await vi.waitFor(() => expect(taken).toHaveLength(1));
    expect(["2", "3"]).toContain(taken[0]);
  });

  it("leaves a run alone for a minute whose segment was rejected, and survives a listener that throws", async () => {
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const store = memoryStore();
    await runs(store, { runtime }).enqueue("shout", "tea", { id: "1" });
    const errors: [unknown, RunRow | undefined][] = [];
    const written = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const broken = new Error("It cannot be read.");
    const segment: DurableApp["segment"] = async () => {
      throw broken;
    };
    const onError = (error: unknown, row?: RunRow): void => {
      errors.push([error, row]);
      throw new Error("A bad listener.");
    };
    const worker = startWorker({ shout: scripted(store, segment, runtime) }, { onError });
    await worker.idle();
    expect(errors).toEqual([[broken, expect.objectContaining({ id: "1", status: "ready" })]]);
    clock.advance(59_000);
    await worker.idle();
    expect(errors).toHaveLength(1);
    clock.advance(1_000);
    await vi.waitFor(() => expect(errors).toHaveLength(2));
    expect(written).toHaveBeenCalled();
    written.mockRestore();
    await worker.stop();
  });

  it("survives a listener that rejects", async () => {
    const store = memoryStore();
    await runs(store).enqueue("shout", "tea", { id: "1" });
    const written = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const segment: DurableApp["segment"] = async () => {
      throw new Error("It cannot be read.");
    };
    const onError = async (): Promise<void> => {
      throw new Error("A bad listener.");
    };
    const worker = startWorker({ shout: scripted(store, segment) }, { onError });
    await worker.idle();
    expect(written.mock.calls).toMatchObject([[expect.stringContaining("1"), { message: "A bad listener." }]]);
    written.mockRestore();
    await worker.stop();
  });

  it("stops although its store does not answer", async () => {
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const inner = memoryStore();
    const silent: CheckpointStore = { ...bind(inner), runs: () => new Promise(() => undefined) };
    const worker = startWorker({ shout: shoutApp({ store: silent, runtime }) });
    const stopped = worker.stop({ timeoutMs: 5_000 });
    clock.advance(6_000);
    await stopped;
  });

  it("survives a store that is away for a while", async () => {
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const inner = memoryStore();
    let isAway = false;
    const store: CheckpointStore = Object.assign(Object.create(inner) as CheckpointStore, bind(inner), {
      changes: undefined,
      runs: async (query: never) => {
        if (isAway) throw new Error("connection refused");
        return inner.runs?.(query);
      },
    });
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const worker = startWorker({ shout: shoutApp({ store, runtime }) }, { onError });
    await worker.idle();
    isAway = true;
    await runs(inner).enqueue("shout", "tea", { id: "1" });
    clock.advance(1_000);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    clock.advance(1_000);
    isAway = false;
    const idle = worker.idle();
    await vi.waitFor(() => {
      clock.advance(1_000);
      return expect(runs(inner).get("1")).resolves.toMatchObject({ status: "finished" });
    });
    await idle;
    expect(errors).toMatchObject([{ code: "STORE_FAILED" }]);
    await worker.stop();
  });

  it("stops a run at once that is cancelled elsewhere", async () => {
    const store = memoryStore();
    const { app, started } = slowApp(store);
    const list = runs(store);
    await list.enqueue("slow", "tea", { id: "1" });
    const errors: unknown[] = [];
    const worker = startWorker({ slow: app }, { onError: (error) => void errors.push(error) });
    await vi.waitFor(() => expect(started).toHaveLength(1));
    await list.cancel("1");
    await worker.idle();
    expect(await list.get("1")).toMatchObject({ status: "cancelled" });
    expect(errors).toEqual([]);
    await worker.stop();
  });

  it("stops a run at once that is cancelled elsewhere, though its store cannot say what has changed", async () => {
    const store = memoryStore();
    let tell = (): void => undefined;
    const changes: CheckpointStore["changes"] = (listener) => {
      tell = () => listener();
      return () => undefined;
    };
    const { app, started, aborted } = slowApp({ ...bind(store), changes });
    const list = runs(store);
    for (const id of ["1", "2"]) await list.enqueue("slow", id, { id });
    const worker = startWorker({ slow: app }, { concurrency: 2 });
    await vi.waitFor(() => expect(started).toHaveLength(2));
    await list.cancel("1");
    tell();
    await vi.waitFor(() => expect(aborted).toEqual(["1"]));
    await worker.stop({ timeoutMs: 0 });
    expect(await list.get("1")).toMatchObject({ status: "cancelled" });
    expect(await list.get("2")).toMatchObject({ status: "ready" });
  });

  it("goes on with other runs while a store is not sure of owners, which are all asked for at once", async () => {
    const store = memoryStore();
    const asked = new Map<string, (isAlive: boolean) => void>();
    const isOwnerAlive = (owner: string): Promise<boolean> =>
      new Promise((resolve) => {
        asked.set(owner, resolve);
      });
    const app = shoutApp({ store: { ...bind(store), isOwnerAlive } });
    const claimed = { status: "running", graph: "shout", since: 1 } as const;
    const data = new TextEncoder().encode("{}");
    for (const owner of ["a", "b"]) await store.put(`of ${owner}`, data, undefined, { ...claimed, owner });
    await runs(store).enqueue("shout", "tea", { id: "ready" });
    const onError = vi.fn();
    const worker = startWorker({ shout: app }, { onError });
    await vi.waitFor(async () => expect(await runs(store).get("ready")).toMatchObject({ status: "finished" }));
    expect([...asked.keys()]).toEqual(["a", "b"]);
    let isIdle = false;
    const idle = worker.idle().then(() => {
      isIdle = true;
    });
    asked.get("a")?.(true);
    await runs(store).enqueue("shout", "milk", { id: "later" });
    await vi.waitFor(async () => expect(await runs(store).get("later")).toMatchObject({ status: "finished" }));
    expect([isIdle, onError.mock.calls]).toEqual([false, []]);
    asked.get("b")?.(false);
    await idle;
    // nothing is in its row, so that the segment was rejected
    expect(onError.mock.calls).toMatchObject([[{ code: "CHECKPOINT_UNREADABLE" }, { id: "of b" }]]);
    await worker.stop({ timeoutMs: 0 });
  });

  it("gives segments the options for their rows", async () => {
    const store = memoryStore();
    const given: SegmentOptions<never>[] = [];
    const segment: DurableApp["segment"] = async (id, options = {}) => {
      given.push(options);
      await store.delete(String(id));
      return { ...finished, id: String(id) };
    };
    await runs(store).enqueue("shout", "tea", { id: "1" });
    const worker = startWorker(
      { shout: scripted(store, segment) },
      {
        options: ({ id }) => ({ requestContext: { id }, timeoutMs: 5_000 }),
      },
    );
    await worker.idle();
    expect(given).toMatchObject([{ requestContext: { id: "1" }, timeoutMs: 5_000, onBusy: "return" }]);
    await worker.stop();
  });
});

const now = new Date(0);
const run = { id: "", graph: "shout", startedAt: now, changedAt: now, attempts: 0, interrupts: [], output: "" };
const finished = { ...run, status: "finished" } as const;

/** The methods of a store, as own properties. */
function bind(store: CheckpointStore): CheckpointStore {
  return {
    ...bareStore(store),
    append: (...args) => store.append?.(...args) ?? Promise.reject(new Error("no append")),
    runs: (query) => store.runs?.(query) ?? Promise.resolve([]),
    changes: (listener) => store.changes?.(listener) ?? (() => undefined),
  };
}
