import { KumikoError, memoryStore, Runtime } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import type { CheckpointStore } from "kumiko/compose";
import { runs } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { bareStore } from "../../durable/stores.js";
import { fastClock } from "../../fast-clock.js";
import { asksToPay, payingClerk, payTool } from "./clerk.js";

const turn = { threadId: "t", requestId: "r1" };

/** A store that fails three calls in a row, before or after it has done what it was asked. */
function awayAt(nth: number, { late, fails }: { late: boolean; fails: () => unknown }) {
  const rows = memoryStore();
  let count = 0;
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    count += 1;
    const isAway = count >= nth && count < nth + 3;
    if (isAway && !late) throw fails();
    const value = await work();
    if (isAway) throw fails();
    return value;
  };
  const store: CheckpointStore = {
    get: (id) => around(() => rows.get(id)),
    put: (...args) => around(() => rows.put(...args)),
    append: (...args) => around(() => rows.append?.(...args) as Promise<number>),
    delete: (...args) => around(() => rows.delete(...args)),
    async *list(prefix) {
      yield* await around(async () => rows.list(prefix));
    },
  };
  return { rows, store, isOver: () => count < nth };
}

async function all(items: AsyncIterable<{ readonly status: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { status } of items) found.push(status);
  return found;
}

describe.each([
  ["its own error", () => new KumikoError("STORE_FAILED", "The database is away.")],
  ["any error", () => new Error("connect ECONNREFUSED")],
])("A segment of a turn whose store is away for a while, with %s", (_, fails) => {
  it.each([
    ["cannot be asked", false],
    ["cannot confirm", true],
  ])("goes on when it %s, and repeats nothing", async (_what, late) => {
    for (let nth = 1; ; nth++) {
      const { rows, store, isOver } = awayAt(nth, { late, fails });
      const { clerk, paid, model } = payingClerk(store, { runtime: new Runtime({ clock: fastClock }) });
      expect(await clerk.segment(turn, { input: "Pay" })).toMatchObject({ status: "finished" });
      expect([nth, paid.length, model.calls.length]).toEqual([nth, 1, 2]);
      expect(await all(threads(rows).turns("t"))).toEqual(["done"]);
      expect(await all(runs(rows).list())).toEqual([]);
      if (isOver()) return;
    }
  });
});

it("A segment of a turn that another process ends meanwhile tells how it has ended, whenever that is", async () => {
  for (let nth = 1; ; nth++) {
    const rows = memoryStore();
    const { pay, paid } = payTool({ requireApproval: true });
    const clerkOf = (store: CheckpointStore) =>
      createAgent({
        name: "clerk",
        store,
        tools: [pay],
        model: scriptedModel("Paid."),
        runtime: new Runtime({ clock: fastClock }),
        retry: false,
      });
    const asking = createAgent({
      name: "clerk",
      store: rows,
      tools: [pay],
      model: scriptedModel([asksToPay]),
    });
    const { interrupts } = await asking.segment(turn, { input: "Pay" });
    const answers = { [interrupts[0]?.id ?? ""]: { approved: true } };
    let count = 0;
    const store: CheckpointStore = Object.assign(Object.create(rows), {
      get: async (id: string) => {
        count += 1;
        if (count === nth) await clerkOf(rows).segment(turn, { answers, onBusy: "return" });
        return rows.get(id);
      },
      put: rows.put.bind(rows),
      append: rows.append?.bind(rows),
      delete: rows.delete.bind(rows),
      list: rows.list.bind(rows),
    });
    expect(await clerkOf(store).segment(turn, { answers }), String(nth)).toMatchObject({ status: "finished" });
    expect(paid).toEqual(["paid"]);
    if (count < nth) return;
  }
});

it("A segment of a turn whose process has died goes on with it, once the store can say so", async () => {
  const former = memoryStore();
  let copied: Promise<CheckpointStore> | undefined;
  const dying = scriptedModel(async () => {
    copied ??= copyOf(former);
    await copied;
    return "Hello.";
  });
  await createAgent({ name: "clerk", store: bareStore(former), model: dying }).segment(turn, { input: "Hi" });
  const rows = await (copied ?? former);
  let asked = 0;
  const store: CheckpointStore = {
    ...bareStore(rows),
    isOwnerAlive: async () => {
      if (++asked < 4) throw new Error("connect ECONNREFUSED");
      return false;
    },
  };
  const runtime = new Runtime({ clock: fastClock });
  const clerk = createAgent({ name: "clerk", store, runtime, model: scriptedModel("Hello again.") });
  expect(await clerk.segment(turn, { input: "Hi" })).toMatchObject({
    status: "finished",
    output: { text: "Hello again." },
  });
});

/** What another process would have left, had it died now. */
async function copyOf(store: CheckpointStore): Promise<CheckpointStore> {
  const copy = memoryStore();
  for (const prefix of ["", "~"]) {
    for await (const id of store.list(prefix)) {
      const text = new TextDecoder().decode((await store.get(id))?.data);
      await copy.put(
        id,
        new TextEncoder().encode(text.replaceAll(/"owner":"[^"]*"/g, '"owner":"node/far/1/x"')),
        undefined,
      );
    }
  }
  return copy;
}
