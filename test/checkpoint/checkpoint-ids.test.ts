import { Chain, memoryStore, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

const durabilities = [["exit"], ["step"]] as const;
const fine = (store: ReturnType<typeof watchedStore>, extra = {}) =>
  new Chain<string>().append((text) => `${text}.`).compile({ store, ...extra });

describe.each(durabilities)("An id whose run is not done (durability %s)", (durability) => {
  it("cannot be used for a new one, in any mode: nothing runs, and no handler is called", async () => {
    const log: string[] = [];
    const app = orderChain({ log }, { store: memoryStore(), durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "order-7" }));
    const before = [...log];
    const recorder = recordingHandler();
    const options = { checkpointId: "order-7", callbacks: [recorder] };
    for (const run of [
      app.invoke("c", options),
      app.stream("c", options).concat(),
      app.collect(StreamReader.from(["c"]), options),
      app.transform(StreamReader.from(["c"]), options).concat(),
    ]) {
      const error = await errorOf(run);
      expect(error.code).toBe("CHECKPOINT_PENDING");
      expect(error.message).toContain("order-7");
      expect(error.message).toContain("forceNewRun");
    }
    expect(log).toEqual(before);
    expect(recorder.events).toEqual([]);
    expect(await app.resume("order-7", { [id]: "b" })).toBe("a>b.");
  });

  it("cannot be used for a new one after a failure", async () => {
    let fails = true;
    const on = (node: string) => {
      if (node === "first" && fails) throw new Error("boom");
    };
    const app = orderChain({ on }, { store: memoryStore(), durability });
    expect((await errorOf(app.invoke("a", { checkpointId: "id" }))).code).toBe("NODE_FAILED");
    fails = false;
    expect((await errorOf(app.invoke("c", { checkpointId: "id" }))).code).toBe("CHECKPOINT_PENDING");
    expect((await questionOf(app.resume("id"))).info).toEqual({ about: "a>" });
  });

  it("starts over with forceNewRun: the old questions are gone", async () => {
    const app = orderChain({}, { store: memoryStore(), durability });
    const old = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const fresh = await questionOf(app.invoke("c", { checkpointId: "id", forceNewRun: true }));
    expect(fresh.info).toEqual({ about: "c>" });
    expect(fresh.id).not.toBe(old.id);
    expect((await errorOf(app.resume("id", { [old.id]: "b" }))).code).toBe("UNKNOWN_INTERRUPT");
    expect(await app.resume("id", { [fresh.id]: "d" })).toBe("c>d.");
  });

  it("is free again when the new run is done", async () => {
    const store = watchedStore();
    let asks = true;
    const app = new Chain<string>()
      .append(async (text, ctx) => (asks ? String(await ctx.ask("go", {})) : text))
      .compile({ store, durability });
    await interruptOf(app.invoke("a", { checkpointId: "id" }));
    asks = false;
    expect(await app.invoke("b", { checkpointId: "id", forceNewRun: true })).toBe("b");
    expect(await store.ids()).toEqual([]);
  });
});

describe.each(durabilities)("An id whose run is done (durability %s)", (durability) => {
  it("has no checkpoint any more, and may be used again", async () => {
    const store = watchedStore();
    const app = orderChain({}, { store, durability });
    for (const text of ["a", "c"]) {
      const { id } = await questionOf(app.invoke(text, { checkpointId: "id" }));
      expect(await app.resume("id", { [id]: "b" })).toBe(`${text}>b.`);
      expect(await store.ids()).toEqual([]);
    }
  });

  it("cannot be resumed: UNKNOWN_CHECKPOINT, as for one that was never used", async () => {
    const store = watchedStore();
    const app = fine(store, { durability });
    expect(await app.invoke("a", { checkpointId: "id" })).toBe("a.");
    for (const run of [
      app.resume("id"),
      app.resumeStream("id").concat(),
      app.resume("never"),
      app.resume("id", { x: 1 }),
    ]) {
      expect((await errorOf(run)).code).toBe("UNKNOWN_CHECKPOINT");
    }
    expect((await errorOf(app.resume("never"))).message).toContain("never");
    expect(await store.ids()).toEqual([]);
  });

  it("takes forceNewRun without harm, also when it was never used", async () => {
    const app = fine(watchedStore(), { durability });
    expect(await app.invoke("a", { checkpointId: "id", forceNewRun: true })).toBe("a.");
    expect(await app.invoke("b", { checkpointId: "id", forceNewRun: true })).toBe("b.");
  });

  it("keeps its checkpoint with keepCheckpoint, and cannot be resumed: CHECKPOINT_FINISHED", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const app = orderChain({ log }, { store, durability, keepCheckpoint: true });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
    expect(await store.ids()).toEqual(["id"]);
    const before = [...log];
    for (const run of [
      app.resume("id"),
      app.resumeStream("id").concat(),
      app.resume("id", undefined, { takeover: true }),
    ]) {
      const error = await errorOf(run);
      expect(error.code).toBe("CHECKPOINT_FINISHED");
      expect(error.message).toContain("id");
    }
    expect(log).toEqual(before);
    expect(await store.ids()).toEqual(["id"]);
  });

  it("may be used again although its checkpoint was kept", async () => {
    const app = orderChain({}, { store: memoryStore(), durability, keepCheckpoint: true });
    for (const text of ["a", "c"]) {
      const { id } = await questionOf(app.invoke(text, { checkpointId: "id" }));
      expect(await app.resume("id", { [id]: "b" })).toBe(`${text}>b.`);
    }
  });
});

describe("A graph without a store", () => {
  it("refuses a checkpointId before anything runs: NO_STORE", async () => {
    const log: string[] = [];
    const recorder = recordingHandler();
    const app = orderChain({ log }, {});
    const options = { checkpointId: "id", callbacks: [recorder] };
    for (const run of [app.invoke("a", options), app.stream("a", options).concat()]) {
      const error = await errorOf(run);
      expect(error.code).toBe("NO_STORE");
      expect(error.message).toContain("store");
    }
    expect(log).toEqual([]);
    expect(recorder.events).toEqual([]);
  });

  it("refuses a writeToCheckpointId", async () => {
    const log: string[] = [];
    const app = orderChain({ log }, {});
    expect((await errorOf(app.invoke("a", { writeToCheckpointId: "id" }))).code).toBe("NO_STORE");
    expect(log).toEqual([]);
  });

  it("cannot resume", async () => {
    const app = orderChain({}, {});
    expect((await errorOf(app.resume("id"))).code).toBe("NO_STORE");
    expect((await errorOf(app.resumeStream("id").concat())).code).toBe("NO_STORE");
  });

  it("says of an interrupt that it was not saved, and which option is missing", async () => {
    const error = await interruptOf(orderChain({}, {}).invoke("a"));
    expect(error.interrupts).toHaveLength(1);
    expect(error.message).toContain("store");
  });

  it("says which option is missing when there is a store but no id, and saves nothing", async () => {
    const store = watchedStore();
    const error = await interruptOf(orderChain({}, { store, durability: "step" }).invoke("a"));
    expect(error.message).toContain("checkpointId");
    expect(store.calls).toEqual([]);
  });
});

describe("An id of a checkpoint", () => {
  it.each([["a/b;c%_*'\""], ["深圳 😀"], ["constructor"], ["__proto__"], [" "]])("may be %j", async (checkpointId) => {
    const app = orderChain({}, { store: memoryStore() });
    const { id } = await questionOf(app.invoke("a", { checkpointId }));
    expect(await app.resume(checkpointId, { [id]: "b" })).toBe("a>b.");
  });

  it("must be a text of at most 512 characters, or nothing runs", async () => {
    const log: string[] = [];
    const app = orderChain({ log }, { store: memoryStore() });
    for (const checkpointId of ["x".repeat(513), 7 as never]) {
      expect((await errorOf(app.invoke("a", { checkpointId }))).code).toMatch(/^INVALID_/);
    }
    expect(log).toEqual([]);
  });
});

describe("writeToCheckpointId", () => {
  /** Asks `one`, then `two`, in two nodes. */
  const twice = (store: ReturnType<typeof watchedStore>, log: string[] = []) =>
    new Chain<string>()
      .append(
        async (text, ctx) => {
          const answer = await ctx.ask("one", "one");
          log.push("one");
          return `${text}${String(answer)}`;
        },
        { key: "one" },
      )
      .append(
        async (text, ctx) => {
          const answer = await ctx.ask("two", "two");
          log.push("two");
          return `${text}${String(answer)}`;
        },
        { key: "two" },
      )
      .compile({ store });

  it("on resume reads the first id and writes the other", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const app = twice(store, log);
    const one = await questionOf(app.invoke("a", { checkpointId: "from" }));
    const before = store.calls.length;
    const two = await questionOf(app.resume("from", { [one.id]: "1" }, { writeToCheckpointId: "to" }));
    expect(two.info).toBe("two");
    expect(await store.ids()).toEqual(["from", "to"]);
    const saved = store.calls.slice(before).filter(({ kind, id }) => kind === "put" && id === "to");
    expect(saved.length).toBeGreaterThan(0);
    expect(await app.resume("to", { [two.id]: "2" })).toBe("a12");
    expect(log).toEqual(["one", "two"]);
  });

  it("on resume leaves no claim on the first id", async () => {
    const app = twice(watchedStore());
    const one = await questionOf(app.invoke("a", { checkpointId: "from" }));
    const two = await questionOf(app.resume("from", { [one.id]: "1" }, { writeToCheckpointId: "to" }));
    await app.resume("to", { [two.id]: "2" });
    expect((await errorOf(app.resume("from", { unknown: 1 }))).code).toBe("UNKNOWN_INTERRUPT");
  });

  it("alone is where a new run is saved", async () => {
    const store = watchedStore();
    const app = twice(store);
    const one = await questionOf(app.invoke("a", { writeToCheckpointId: "to" }));
    expect(await store.ids()).toEqual(["to"]);
    const two = await questionOf(app.resume("to", { [one.id]: "1" }));
    expect(await app.resume("to", { [two.id]: "2" })).toBe("a12");
  });
});

it.each(["~", "~history/run/00000000", "~thread/t/00000001/run"])(
  "of the library are refused for new runs: %s",
  async (id) => {
    const app = new Chain<string>().append((text) => text).compile({ store: memoryStore() });
    expect((await errorOf(app.invoke("a", { checkpointId: id }))).code).toBe("INVALID_KEY");
    expect((await errorOf(app.invoke("a", { checkpointId: "mine", writeToCheckpointId: id }))).code).toBe(
      "INVALID_KEY",
    );
    expect((await errorOf(app.resume(id))).code).toBe("UNKNOWN_CHECKPOINT");
  },
);
