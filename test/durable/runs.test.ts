import { Chain, memoryStore, RunControl, Runtime } from "kumiko";
import type { SavedRun } from "kumiko/compose";
import { type Runs, runs } from "kumiko/durable";
import { manualClock } from "kumiko/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { orderApp, shoutApp } from "./orders.js";
import { all, bareStore, describeStores } from "./stores.js";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

const idOf = (run: SavedRun<unknown> | undefined, key: string): string => {
  const found = run?.interrupts.find((question) => question.key === key);
  if (found === undefined) throw new Error(`"${key}" is not open: the run is ${run?.status}.`);
  return found.id;
};

describeStores("runs of a store", (open) => {
  it("shows a run in every status", async () => {
    const store = open();
    const [order, shout] = [orderApp({ store }), shoutApp({ store })];
    const list = runs(store);
    expect(await list.get("1")).toBeUndefined();
    await list.enqueue("order", "tea", { id: "1" });
    expect(await list.get("1")).toMatchObject({
      id: "1",
      graph: "order",
      status: "ready",
      attempts: 0,
      interrupts: [],
    });
    const waiting = await order.segment("1");
    expect(waiting.status).toBe("waiting");
    expect(await list.get("1")).toEqual(waiting);
    const finished = await shout.segment("2", { input: "tea" });
    expect(await list.get("2")).toEqual(finished);
    expect(finished).toMatchObject({ status: "finished", output: "TEA" });
    const failed = await order.segment("3", { input: "broken" });
    expect(failed).toMatchObject({ status: "failed", error: { code: "NODE_FAILED" } });
    expect(await list.get("3")).toMatchObject({ status: "failed", error: { code: "NODE_FAILED" } });
    const control = new RunControl();
    control.interrupt({ timeoutMs: 0 });
    await order.invoke("tea", { checkpointId: "4", control }).catch(() => undefined);
    expect(await list.get("4")).toMatchObject({ status: "stopped", interrupts: [] });
    expect(await list.cancel("1")).toMatchObject({ status: "cancelled", interrupts: [] });
    const listed = await all(list.list());
    expect(Object.fromEntries(listed.map(({ id, status }) => [id, status]))).toEqual({
      1: "cancelled",
      2: "finished",
      3: "failed",
      4: "stopped",
    });
  });

  it("enqueues once under an id, and checks the input when the run begins", async () => {
    const store = open();
    const list = runs(store);
    expect(await list.enqueue("order", "tea", { id: "1" })).toEqual({ id: "1", created: true });
    expect(await list.enqueue("order", "coffee", { id: "1" })).toEqual({ id: "1", created: false });
    const { id, created } = await list.enqueue("order", "milk");
    expect([id.length > 10, created]).toEqual([true, true]);
    expect((await orderApp({ store }).segment("1")).interrupts[0]?.info).toEqual({ text: "TEA" });
    expect(await errorOf(list.enqueue("order", "tea", { id: "~1" }))).toMatchObject({ code: "INVALID_KEY" });
  });

  it("goes on once all questions have answers", async () => {
    const store = open();
    const order = orderApp({ store });
    const list = runs(store);
    const run = await order.segment("1", { input: "tea" });
    const [send, wrap] = [idOf(run, "send"), idOf(run, "wrap")];
    expect((await all(list.questions())).map(({ interrupt }) => interrupt.id)).toEqual([send, wrap]);
    const first = await list.answer("1", { [send]: true });
    expect(first).toMatchObject({ status: "waiting", interrupts: [{ id: wrap }] });
    expect(await list.answer("1", { [send]: true })).toEqual(first);
    expect(await errorOf(list.answer("1", { [send]: false }))).toMatchObject({ code: "ALREADY_ANSWERED" });
    expect(await list.answer("1", { [wrap]: "paper" })).toMatchObject({ status: "ready", interrupts: [] });
    expect(await list.answer("1", { [wrap]: "paper" })).toMatchObject({ status: "ready" });
    expect(await errorOf(list.answer("1", { [wrap]: "silk" }))).toMatchObject({ code: "ALREADY_ANSWERED" });
    expect(await order.segment("1")).toMatchObject({ status: "finished", output: "sent TEA in paper" });
    expect(await errorOf(list.answer("1", { other: 1 }))).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
  });

  it("records all answers or none", async () => {
    const store = open();
    const list = runs(store);
    const run = await orderApp({ store }).segment("1", { input: "tea" });
    const [send, wrap] = [idOf(run, "send"), idOf(run, "wrap")];
    expect(await errorOf(list.answer("1", { [send]: true, [wrap]: 5 }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    expect(await errorOf(list.answer("1", { [send]: true, other: 5 }))).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
    expect(await errorOf(list.answer("9", { [send]: true }))).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    expect(await list.get("1")).toEqual(run);
  });

  it("goes on with some answers if it is told to", async () => {
    const store = open();
    const order = orderApp({ store });
    const run = await order.segment("1", { input: "tea" });
    const list = runs(store);
    expect(await list.answer("1", { [idOf(run, "send")]: false }, { goOn: true })).toMatchObject({ status: "ready" });
    const next = await order.segment("1");
    expect(next.interrupts.map(({ key }) => key)).toEqual(["wrap"]);
    expect(await list.answer("1", { [idOf(run, "send")]: false })).toMatchObject({ status: "waiting" });
    expect(await errorOf(list.answer("1", { [idOf(run, "send")]: true }))).toMatchObject({ code: "ALREADY_ANSWERED" });
  });

  it("takes an answer again that the run has used, by address too, but no other one", async () => {
    const store = open();
    const order = orderApp({ store });
    const list = runs(store);
    const run = await order.segment("1", { input: "tea" });
    const [send, wrap] = [idOf(run, "send"), idOf(run, "wrap")];
    await list.answer("1", { [send]: true, [wrap]: "paper" });
    const finished = await order.segment("1");
    expect(await list.answer("1", { [wrap]: "paper", [send]: true })).toEqual(finished);
    expect(await errorOf(list.answer("1", { [wrap]: "silk" }))).toMatchObject({ code: "ALREADY_ANSWERED" });
    expect(await errorOf(list.answer("1", { other: "silk" }))).toMatchObject({ code: "UNKNOWN_INTERRUPT" });

    const ask = new Chain<string>().append(async (_text, ctx) => ctx.ask<string>("q", 1)).compile({ name: "a", store });
    const { address = "" } = (await ask.segment("2", { input: "" })).interrupts[0] ?? {};
    expect(await list.answer("2", { byAddress: { [address]: "yes" } })).toMatchObject({ status: "ready" });
    expect(await list.answer("2", { byAddress: { [address]: "yes" } })).toMatchObject({ status: "ready" });
    const other = list.answer("2", { byAddress: { [address]: "no" } });
    expect(await errorOf(other)).toMatchObject({ code: "ALREADY_ANSWERED" });
  });

  it("takes no answer after the deadline, and shows no such question", async () => {
    const store = open();
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const run = await orderApp({ store, runtime }, [], 5_000).segment("1", { input: "tea" });
    const list = runs(store, { runtime });
    const [send, wrap] = [idOf(run, "send"), idOf(run, "wrap")];
    expect(await all(list.list({ dueBefore: 1_005_001 }))).toMatchObject([{ id: "1", due: 1_005_000 }]);
    clock.advance(5_000);
    expect((await list.get("1"))?.interrupts.map(({ id }) => id)).toEqual([wrap]);
    expect(await errorOf(list.answer("1", { [send]: true }))).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
    expect(await list.answer("1", { [wrap]: "paper" })).toMatchObject({ status: "ready" });
  });

  it.each([
    ["each alone", (ids: readonly string[]) => ids.map((id) => [id])],
    ["both at once", (ids: readonly string[]) => [ids]],
  ])("keeps answers that came in time for a run that goes on after the deadline: %s", async (_how, calls) => {
    const store = open();
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const order = orderApp({ store, runtime }, [], 5_000);
    const list = runs(store, { runtime });
    for (const go of [() => order.segment("1"), () => order.resume("1")]) {
      const run = await order.segment("1", { input: "tea" });
      const given: Record<string, unknown> = { [idOf(run, "send")]: true, [idOf(run, "wrap")]: "paper" };
      for (const ids of calls(Object.keys(given))) {
        await list.answer("1", Object.fromEntries(ids.map((id) => [id, given[id]])));
      }
      clock.advance(5_000);
      const done = await go();
      expect(typeof done === "string" ? { output: done } : done).toMatchObject({ output: "sent TEA in paper" });
      await store.delete("1");
    }
  });

  it("passes a stop before a node with the answer null", async () => {
    const store = open();
    const shout = shoutApp({ store, interruptBefore: ["shout"] });
    const run = await shout.segment("1", { input: "tea" });
    const [stop] = run.interrupts;
    expect(await shout.segment("1")).toEqual(run);
    expect(await runs(store).answer("1", { [stop?.id ?? ""]: null })).toMatchObject({ status: "ready" });
    expect(await shout.segment("1")).toMatchObject({ status: "finished", output: "TEA" });
  });

  it("cancels what has not finished, and makes it ready again", async () => {
    const store = open();
    const log: string[] = [];
    const order = orderApp({ store }, log);
    const list = runs(store);
    const run = await order.segment("1", { input: "tea" });
    expect(await list.cancel("1")).toMatchObject({ status: "cancelled" });
    expect(await order.segment("1")).toMatchObject({ status: "cancelled" });
    expect(await list.retry("1")).toMatchObject({ status: "ready", attempts: 0 });
    expect((await order.segment("1")).interrupts).toHaveLength(2);
    expect(log).toEqual(["shout"]);
    expect(await list.retry("1")).toMatchObject({ status: "waiting" });
    expect(await errorOf(list.answer("1", { [idOf(run, "send")]: 1 }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    await list.enqueue("order", "milk", { id: "2" });
    await list.cancel("2");
    await list.retry("2");
    expect((await order.segment("2")).status).toBe("waiting");
    await order.segment("3", { input: "broken" });
    const retried = await list.retry("3");
    expect(retried).toMatchObject({ status: "ready" });
    expect(retried?.error).toBeUndefined();
    expect(await list.retry("4")).toBeUndefined();
    expect(await list.cancel("4")).toBeUndefined();
    const shout = shoutApp({ store });
    const finished = await shout.segment("5", { input: "tea" });
    expect([await list.cancel("5"), await list.retry("5")]).toEqual([finished, finished]);
  });

  it("takes a run away from the process that runs it", async () => {
    const store = open();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = new Chain<string>()
      .append(async (text) => {
        await gate;
        return text;
      })
      .append((text) => `${text}!`)
      .compile({ name: "slow", store });
    const segment = slow.segment("1", { input: "tea" });
    const list = runs(store);
    await vi.waitFor(async () => expect(await list.get("1")).toMatchObject({ status: "running" }));
    expect(await errorOf(list.answer("1", { other: 1 }))).toMatchObject({ code: "CHECKPOINT_IN_USE" });
    const cancelled = await list.cancel("1");
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelled?.owner).toBeUndefined();
    go();
    expect(await segment).toMatchObject({ status: "cancelled" });
  });

  it("keeps to its prefix", async () => {
    const store = open();
    const mine: Runs = runs(store, { prefix: "a/" });
    await runs(store).enqueue("order", "tea", { id: "b/1" });
    await mine.enqueue("order", "tea", { id: "a/1" });
    await mine.enqueue("order", "tea", { id: "a/x/2" });
    expect((await mine.enqueue("order", "tea")).id).toMatch(/^a\//);
    expect(await errorOf(mine.enqueue("order", "tea", { id: "b/2" }))).toMatchObject({ code: "INVALID_OPTION" });
    expect(await mine.get("b/1")).toBeUndefined();
    expect(await mine.cancel("b/1")).toBeUndefined();
    expect(await errorOf(mine.answer("b/1", {}))).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    expect((await all(mine.list({ prefix: "a/x" }))).map(({ id }) => id)).toEqual(["a/x/2"]);
    expect(await all(mine.list({ prefix: "b/" }))).toEqual([]);
    expect(await all(mine.list({ prefix: "" }))).toHaveLength(3);
  });

  it("removes old runs", async () => {
    const store = open();
    const clock = manualClock(1_000_000);
    const runtime = new Runtime({ clock });
    const [order, shout] = [orderApp({ store, runtime }), shoutApp({ store, runtime })];
    const list = runs(store, { runtime });
    await shout.segment("finished", { input: "tea" });
    await order.segment("failed", { input: "broken" });
    await order.segment("waiting", { input: "tea" });
    await list.enqueue("order", "tea", { id: "ready" });
    clock.advance(1_000);
    await shout.segment("new", { input: "tea" });
    expect(await list.sweep({ finishedMs: 1_000 })).toBe(1);
    expect((await all(list.list())).map(({ id }) => id).sort()).toEqual(["failed", "new", "ready", "waiting"]);
    expect(await list.sweep({ finishedMs: 1_000, failedMs: 1_000, waitingMs: 1_001 })).toBe(1);
    expect(await list.sweep({ finishedMs: 0, failedMs: 0, waitingMs: 0 })).toBe(2);
    expect((await all(list.list())).map(({ id }) => id)).toEqual(["ready"]);
    expect(await errorOf(list.sweep({} as never))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it("shows a row that cannot be read as one that has failed, and fails no list", async () => {
    const store = open();
    const order = orderApp({ store });
    await order.segment("good", { input: "tea" });
    const index = { status: "waiting", graph: "order", since: 5 } as const;
    await store.put("bad", new TextEncoder().encode("no document"), undefined, index);
    const list = runs(store);
    expect(await list.get("bad")).toMatchObject({ status: "failed", error: { code: "CHECKPOINT_UNREADABLE" } });
    expect((await all(list.questions())).map(({ run }) => run.id)).toEqual(["good", "good"]);
    expect(await list.retry("bad")).toMatchObject({ status: "failed" });
    expect(await list.cancel("bad")).toMatchObject({ status: "failed" });
    expect(await errorOf(list.answer("bad", {}))).toMatchObject({ code: "CHECKPOINT_UNREADABLE" });
  });
});

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const money = {
  name: "money",
  type: Money,
  encode: ({ cents }: Money) => ({ cents }),
  decode: ({ cents }: { cents: number }) => new Money(cents),
};

it("shows instances of unknown classes as their names and data", async () => {
  const store = memoryStore();
  const runtime = new Runtime({ codecs: [money] });
  const pay = new Chain<Money>()
    .append(async (price, ctx) => (await ctx.ask<Money>("price", { price })) ?? price)
    .compile({ name: "pay", store, runtime });
  const run = await pay.segment("1", { input: new Money(5) });
  const list = runs(store);
  const price = { class: "money", value: { cents: 5 } };
  expect((await list.get("1"))?.interrupts[0]?.info).toEqual({ price });
  expect((await runs(store, { runtime }).get("1"))?.interrupts[0]?.info).toEqual({ price: new Money(5) });
  const [question] = run.interrupts;
  const answers = { [question?.id ?? ""]: new Money(7) };
  expect(await errorOf(list.answer("1", answers))).toMatchObject({ code: "NOT_SERIALIZABLE" });
  const mine = runs(store, { runtime });
  expect(await mine.answer("1", answers)).toMatchObject({ status: "ready" });
  expect(await mine.answer("1", answers)).toMatchObject({ status: "ready" });
  await pay.segment("1");
  expect(await list.get("1")).toMatchObject({ status: "finished", output: { class: "money", value: { cents: 7 } } });
});

it("reads a run again when somebody else has written to it", async () => {
  const inner = memoryStore();
  let others = 2;
  const store = {
    ...bareStore(inner),
    runs: inner.runs?.bind(inner),
    put: async (...[id, data, ifVersion, index]: Parameters<typeof inner.put>) => {
      if (ifVersion !== undefined && others-- > 0) {
        const found = await inner.get(id);
        if (found !== undefined) await inner.put(id, found.data, found.version, index);
      }
      return inner.put(id, data, ifVersion, index);
    },
  };
  const list = runs(store as never);
  await list.enqueue("order", "tea", { id: "1" });
  expect(await list.cancel("1")).toMatchObject({ status: "cancelled" });
  expect(others).toBeLessThan(0);
});

it("warns once of a store that cannot search, and leaves out what are no runs", async () => {
  const warn = vi.spyOn(console, "warn");
  warn.mockClear();
  const store = bareStore(memoryStore());
  const list = runs(store);
  await list.enqueue("order", "tea", { id: "1" });
  await store.put("~thread/a/00000001", new TextEncoder().encode("{}"), undefined);
  expect(await all(list.list())).toHaveLength(1);
  expect(await all(list.list())).toHaveLength(1);
  expect(warn).toHaveBeenCalledTimes(1);
});

describe("watch", () => {
  it("shows each change until the run has finished", async () => {
    const store = memoryStore();
    const order = orderApp({ store });
    const list = runs(store, { runtime: new Runtime({ clock: manualClock() }) });
    await list.enqueue("order", "tea", { id: "1" });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const run of list.watch("1")) seen.push(run.status);
    })();
    await vi.waitFor(() => expect(seen).toEqual(["ready"]));
    const run = await order.segment("1");
    await vi.waitFor(() => expect(seen.at(-1)).toBe("waiting"));
    await list.answer("1", { [idOf(run, "send")]: true, [idOf(run, "wrap")]: "silk" });
    await order.segment("1");
    await watching;
    expect(seen.at(-1)).toBe("finished");
  });

  it("looks by itself where nobody tells it, at a running run twice a second", async () => {
    const clock = manualClock();
    const store = bareStore(memoryStore());
    const list = runs(store, { runtime: new Runtime({ clock }) });
    await list.enqueue("order", "tea", { id: "1" });
    const states = list.watch("1")[Symbol.asyncIterator]();
    expect((await states.next()).value).toMatchObject({ status: "ready" });
    const next = states.next();
    await vi.waitFor(() => expect(clock.nextTimer).toBe(1_000));
    await list.cancel("1");
    clock.advance(1_000);
    expect((await next).value).toMatchObject({ status: "cancelled" });
    expect((await states.next()).done).toBe(true);
  });

  it("ends when its signal is aborted or the run is gone, and rejects without a run", async () => {
    const store = memoryStore();
    const list = runs(store);
    await list.enqueue("order", "tea", { id: "1" });
    const abort = new AbortController();
    const states = list.watch("1", { signal: abort.signal })[Symbol.asyncIterator]();
    await states.next();
    const next = states.next();
    abort.abort();
    expect((await next).done).toBe(true);
    expect(await errorOf(all(list.watch("2")))).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });
});
