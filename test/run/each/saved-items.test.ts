import {
  Chain,
  type CheckpointStore,
  each,
  InterruptError,
  memoryStore,
  type NodeContext,
  type NodeLike,
  RunControl,
  Runtime,
} from "kumiko";
import type { EachOptions } from "kumiko/compose";
import { manualClock } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../gate.js";
import { errorOf, rejectedBy } from "../rejected-by.js";

type Item = (n: number, ctx: NodeContext) => unknown;

interface Settings extends EachOptions<number> {
  readonly store?: CheckpointStore;
  readonly durability?: "exit" | "step";
  readonly runtime?: Runtime;
}

function appOf(
  node: NodeLike<number, unknown>,
  { store = memoryStore(), durability = "exit", runtime, ...options }: Settings = {},
) {
  return new Chain<number[]>()
    .append(each(node, options), { key: "map" })
    .compile({ name: "app", store, durability, runtime });
}

async function interruptOf(promise: Promise<unknown>): Promise<InterruptError> {
  const error = await rejectedBy(promise);
  if (InterruptError.is(error)) return error;
  throw error;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Counts how often each item ran. */
function counting(node: Item) {
  const counts = new Map<number, number>();
  const counted: Item = (n, ctx) => {
    counts.set(n, (counts.get(n) ?? 0) + 1);
    return node(n, ctx);
  };
  return { counted, of: (n: number) => counts.get(n) ?? 0, all: () => [...counts.values()].reduce((a, b) => a + b, 0) };
}

const askOdd: Item = async (n, ctx) => (n % 2 === 0 ? n : ctx.ask("ok", { item: n }));

describe.each(["values", "streams"] as const)("Items that ask, on %s", (kind) => {
  const run = (app: ReturnType<typeof appOf>, input: number[]): Promise<unknown> =>
    kind === "values" ? app.invoke(input, { checkpointId: "r" }) : app.stream(input, { checkpointId: "r" }).concat();
  const resume = (app: ReturnType<typeof appOf>, answers?: Record<string, unknown>): Promise<unknown> =>
    kind === "values" ? app.resume("r", answers) : app.resumeStream("r", answers).concat();

  it.each([undefined, 1, 2])("hold nobody up, and leave together (concurrency %s)", async (concurrency) => {
    const { counted, of } = counting(askOdd);
    const app = appOf(counted, { concurrency });
    const { interrupts } = await interruptOf(run(app, numbers(6)));
    expect(interrupts.map(({ address }) => address)).toEqual([1, 3, 5].map((n) => `runnable:app;node:map;item:${n}`));
    expect(interrupts.map(({ info }) => info)).toEqual([1, 3, 5].map((item) => ({ item })));
    const answers = Object.fromEntries(interrupts.map(({ id }, n) => [id, `answer ${n}`]));
    expect(await resume(app, answers)).toEqual([0, "answer 0", 2, "answer 1", 4, "answer 2"]);
    expect(numbers(6).map(of)).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it("may be answered one by one; who was not answered is not entered, and keeps its id", async () => {
    const { counted, of } = counting(askOdd);
    const app = appOf(counted, { concurrency: 2 });
    const first = (await interruptOf(run(app, numbers(6)))).interrupts;
    const byAddress = { "runnable:app;node:map;item:3": "three" };
    const second = (await interruptOf(resume(app, { byAddress }))).interrupts;
    expect(second.map(({ id }) => id)).toEqual([first[0].id, first[2]?.id]);
    expect(numbers(6).map(of)).toEqual([1, 1, 1, 2, 1, 1]);
    const rest = Object.fromEntries(second.map(({ id }) => [id, 0]));
    expect(await resume(app, rest)).toEqual([0, 0, 2, "three", 4, 0]);
    expect(numbers(6).map(of)).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it("keep their concurrency after an answer", async () => {
    let running = 0;
    let most = 0;
    const node: Item = async (n, ctx) => {
      running++;
      most = Math.max(most, running);
      try {
        await turns();
        return await ctx.ask("q", n);
      } finally {
        running--;
      }
    };
    const app = appOf(node, { concurrency: 2 });
    const { interrupts } = await interruptOf(run(app, numbers(5)));
    expect(most).toBe(2);
    most = 0;
    expect(await resume(app, Object.fromEntries(interrupts.map(({ id, info }) => [id, info])))).toEqual(numbers(5));
    expect(most).toBe(2);
  });

  it("may be graphs, lists of lists and tools of their own", async () => {
    const { counted, of } = counting((n) => n);
    const inner = new Chain<number>()
      .append(counted, { key: "work" })
      .append((n, ctx) => ctx.ask("sure", n), { key: "check" })
      .append((answer) => `${answer}!`, { key: "say" });
    const app = new Chain<number[]>()
      .append((list) => list.map((n) => [n, n + 10]))
      .append(each(each(inner)), { key: "map" })
      .compile({ name: "app", store: memoryStore() });
    const { interrupts } = await interruptOf(run(app, [1, 2]));
    expect(interrupts.map(({ address }) => address)).toEqual(
      ["0;item:0", "0;item:1", "1;item:0", "1;item:1"].map((at) => `runnable:app;node:map;item:${at};node:check`),
    );
    const answers = Object.fromEntries(interrupts.map(({ id, info }) => [id, info]));
    expect(await resume(app, answers)).toEqual([
      ["1!", "11!"],
      ["2!", "12!"],
    ]);
    expect([1, 2, 11, 12].map(of)).toEqual([1, 1, 1, 1]);
  });

  it("after a failure, run again only where they had not finished", async () => {
    let isBroken = true;
    const { counted, of } = counting((n) => {
      if (n === 3 && isBroken) throw new Error("broken");
      return n;
    });
    const app = appOf(counted, { concurrency: 1 });
    expect(await errorOf(run(app, numbers(5)))).toMatchObject({ index: 3 });
    isBroken = false;
    expect(await resume(app)).toEqual(numbers(5));
    expect(numbers(5).map(of)).toEqual([1, 1, 1, 2, 1]);
  });

  it("after a stop from outside, begin where the others had come to", async () => {
    const control = new RunControl();
    const { counted, of } = counting(async (n) => {
      if (n === 1) control.interrupt();
      await turns();
      return n;
    });
    const app = appOf(counted, { concurrency: 2 });
    const options = { checkpointId: "r", control };
    const stopped = kind === "values" ? app.invoke(numbers(5), options) : app.stream(numbers(5), options).concat();
    const { interrupts } = await interruptOf(stopped);
    expect(interrupts.map(({ info }) => info)).toEqual([{ kind: "requested" }]);
    expect(numbers(5).map(of)).toEqual([1, 1, 0, 0, 0]);
    expect(await resume(app)).toEqual(numbers(5));
    expect(numbers(5).map(of)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe("Items of a run that nobody can resume", () => {
  it("ask all together", async () => {
    const app = new Chain<number[]>().append(each(askOdd), { key: "map" }).compile({ name: "app" });
    const { interrupts } = await interruptOf(app.invoke(numbers(4)));
    expect(interrupts.map(({ info }) => info)).toEqual([{ item: 1 }, { item: 3 }]);
  });

  it("whose question is swallowed wait all the same", async () => {
    const node: Item = async (n, ctx) => ctx.ask("q", n).catch(() => "swallowed");
    const app = new Chain<number[]>().append(each(node), { key: "map" }).compile({ name: "app" });
    expect((await interruptOf(app.invoke([7]))).interrupts).toHaveLength(1);
  });
});

/** A store that gives up at a write, as a process does that is killed there. */
function dyingStore(
  store: CheckpointStore,
  writes: number,
): { readonly store: CheckpointStore; readonly count: () => number } {
  let count = 0;
  const dying: CheckpointStore = {
    get: (id) => store.get(id),
    list: (prefix) => store.list(prefix),
    delete: (id, version) => (count++ < writes ? store.delete(id, version) : new Promise(() => undefined)),
    put: (id, data, version) => (count++ < writes ? store.put(id, data, version) : new Promise(() => undefined)),
  };
  return { store: dying, count: () => count };
}

describe("Items of a run that is saved after every task", () => {
  const work: Item = async (n) => {
    await undefined;
    return n;
  };

  it.each([
    [120, 3, 3],
    [400, 2, 8],
  ])(
    "(%i of them, %i at a time) run again %i times at most, wherever the process dies",
    async (count, concurrency, most) => {
      const all = numbers(count);
      for (let writes = 1; ; writes += 7) {
        const kept = memoryStore();
        const { counted, all: ran } = counting(work);
        const dying = dyingStore(kept, writes);
        const run = appOf(counted, { concurrency, store: dying.store, durability: "step" }).invoke(all, {
          checkpointId: "r",
        });
        const hasEnded = await Promise.race([
          run.then(() => true),
          turns()
            .then(turns)
            .then(() => false),
        ]);
        if (hasEnded) {
          expect(writes).toBeGreaterThan(count / most / 2);
          return;
        }
        const app = appOf(counted, { concurrency, store: kept, durability: "step" });
        expect(await app.resume("r", undefined, { takeover: true })).toEqual(all);
        expect(ran() - count).toBeLessThanOrEqual(most);
      }
    },
  );

  it("are saved after 50 ms, when they do not fill a group", async () => {
    const clock = manualClock();
    const store = memoryStore();
    let puts = 0;
    const watched: CheckpointStore = {
      ...dyingStore(store, Number.POSITIVE_INFINITY).store,
      put: (...given) => {
        puts++;
        return store.put(...given);
      },
    };
    const last = gate();
    const app = appOf(async (n: number) => (n === 9 ? last.promise.then(() => n) : n), {
      store: watched,
      durability: "step",
      runtime: new Runtime({ clock }),
    });
    const run = app.invoke(numbers(10), { checkpointId: "r" });
    await turns();
    const before = puts;
    clock.advance(49);
    await turns();
    expect(puts).toBe(before);
    clock.advance(1);
    await turns();
    expect(puts).toBe(before + 1);
    const { counted, all } = counting(work);
    const other = appOf(counted, { store, durability: "step" });
    expect(await other.resume("r", undefined, { takeover: true })).toEqual(numbers(10));
    expect(all()).toBe(1);
    last.open();
    await rejectedBy(run);
    expect(clock.nextTimer).toBeUndefined();
  });

  it("fail with the store", async () => {
    const store = memoryStore();
    let puts = 0;
    const failing: CheckpointStore = {
      ...dyingStore(store, 99).store,
      put: async (...given) => {
        if (++puts > 2) throw new Error("disk full");
        return store.put(...given);
      },
    };
    const app = appOf(work, { store: failing, durability: "step", concurrency: 1 });
    expect(String(await rejectedBy(app.invoke(numbers(9), { checkpointId: "r" })))).toContain("disk full");
  });
});

describe("A resumed graph that has changed", () => {
  it("is refused where the graph of an item has lost the node that waits", async () => {
    const store = memoryStore();
    const with_ = (key: string) =>
      new Chain<number[]>()
        .append(each(new Chain<number>().append((n, ctx) => ctx.ask("q", n), { key })), { key: "map" })
        .compile({ store });
    await interruptOf(with_("old").invoke([1], { checkpointId: "r" }));
    expect(await errorOf(with_("new").resume("r"))).toMatchObject({ code: "GRAPH_CHANGED", nodePath: ["map", "old"] });
  });
});
