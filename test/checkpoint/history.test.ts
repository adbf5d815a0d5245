import { type CheckpointStore, END, Graph, isInterrupt, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";

interface Notes {
  readonly notes: string[];
}

function noted(text: string, state: Notes): string {
  state.notes.push(text);
  return text;
}

/** Three nodes with a state; the second asks. */
function compile(store: CheckpointStore, options: object = {}, log: string[] = []) {
  return new Graph<string, string>()
    .withState((): Notes => ({ notes: [] }))
    .addNode(
      "first",
      (text: string) => {
        log.push("first");
        return `${text}1`;
      },
      { before: noted },
    )
    .addNode("ask", async (text: string, ctx) => {
      const answer = await ctx.ask<string>("more", `after ${text}`);
      log.push("ask");
      return `${text}${answer}`;
    })
    .addNode(
      "last",
      (text: string) => {
        log.push("last");
        return `${text}!`;
      },
      { before: noted },
    )
    .addEdge(START, "first")
    .addEdge("first", "ask")
    .addEdge("ask", "last")
    .addEdge("last", END)
    .compile({ store, durability: "step", history: true, ...options });
}

async function questionId(run: Promise<unknown>): Promise<string> {
  const error = await run.catch((failure: unknown) => failure);
  if (!isInterrupt(error)) throw error;
  return error.interrupts[0].id;
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const idsUnder = (store: CheckpointStore, prefix: string): Promise<string[]> => all(store.list(prefix));

describe("The history of a run", () => {
  it("lists every save, newest first, with what ran and what comes next", async () => {
    const app = compile(memoryStore());
    const id = await questionId(app.invoke("a", { checkpointId: "run" }));
    const waiting = await all(app.history("run"));
    expect(waiting.map(({ cause, ran, next }) => ({ cause, ran, next }))).toEqual([
      { cause: "interrupt", ran: [], next: ["ask"] },
      { cause: "task", ran: ["first"], next: ["ask"] },
      { cause: "start", ran: [], next: ["first"] },
    ]);
    expect(waiting[0]?.interrupts).toEqual([expect.objectContaining({ id, info: "after a1" })]);
    expect(await app.resume("run", { [id]: "b" })).toBe("a1b!");
    const done = await all(app.history("run"));
    expect(done.map(({ cause, ran }) => `${cause} ${ran.join()}`)).toEqual([
      "end ",
      "task last",
      "task ask",
      "interrupt ",
      "task first",
      "start ",
    ]);
    expect(done.map(({ id: own, parent }) => [own, parent])).toEqual([
      ["6", "5"],
      ["5", "4"],
      ["4", "3"],
      ["3", "2"],
      ["2", "1"],
      ["1", undefined],
    ]);
  });

  it("takes a limit and an entry before which it begins", async () => {
    const app = compile(memoryStore());
    await questionId(app.invoke("a", { checkpointId: "run" }));
    expect((await all(app.history("run", { limit: 1 }))).map(({ id }) => id)).toEqual(["3"]);
    expect((await all(app.history("run", { before: "3" }))).map(({ id }) => id)).toEqual(["2", "1"]);
    expect((await errorOf(all(app.history("run", { before: "x" })))).code).toBe("UNKNOWN_ENTRY");
  });

  it("has the error of a run that failed", async () => {
    const app = new Graph<string, string>()
      .addNode("fails", (): string => {
        throw new Error("broken");
      })
      .addEdge(START, "fails")
      .addEdge("fails", END)
      .compile({ store: memoryStore(), history: true });
    await errorOf(app.invoke("a", { checkpointId: "run" }));
    const [newest] = await all(app.history("run"));
    expect(newest).toMatchObject({ cause: "failure", next: ["fails"], error: expect.stringContaining("broken") });
  });

  it("has a node that failed and was handled among those that ran", async () => {
    const app = new Graph<string, string>()
      .addNode("fails", (): string => {
        throw new Error("no");
      })
      .addNode("helps", () => "helped")
      .addEdge(START, "fails")
      .addEdge("fails", END)
      .addErrorBranch("fails", ["helps"], () => "helps")
      .addEdge("helps", END)
      .compile({ store: memoryStore(), durability: "step", history: true });
    await app.invoke("a", { checkpointId: "run" });
    const entries = await all(app.history("run"));
    expect(entries.map(({ cause, ran, next }) => [cause, ran, next])).toEqual([
      ["end", [], []],
      ["task", ["helps"], []],
      ["task", ["fails"], ["helps"]],
      ["start", [], ["fails"]],
    ]);
    expect(entries.map(({ failed }) => failed)).toEqual([undefined, undefined, ["fails"], undefined]);
    const drawn = app.toMermaid({ trace: entries });
    expect(drawn).toMatch(/class \w+ failed/);
    expect(drawn).not.toContain("skipped");
  });

  it("is dropped when a new run begins under its id", async () => {
    const store = memoryStore();
    const app = compile(store);
    for (const _turn of [1, 2, 3]) {
      const id = await questionId(app.invoke("a", { checkpointId: "run" }));
      await app.resume("run", { [id]: "b" });
      expect((await all(app.history("run"))).length).toBe(6);
    }
  });

  it("says when a part in the middle is gone, and reads what is before and behind it", async () => {
    const store = memoryStore();
    const app = new Graph<number, number>()
      .addNode("count", (n: number) => n + 1)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (n) => (n < 60 ? "count" : END))
      .compile({ store, durability: "step", history: true, maxSteps: 1_000 });
    await app.invoke(0, { checkpointId: "run" });
    const whole = await all(app.history("run"));
    const segments = await idsUnder(store, "~history/run/");
    expect(segments.length).toBeGreaterThan(3);
    await store.delete(segments[1] ?? "");
    const read: string[] = [];
    const error = await errorOf(
      (async () => {
        for await (const { id } of app.history("run")) read.push(id);
      })(),
    );
    expect(error).toMatchObject({ code: "CHECKPOINT_UNREADABLE", message: expect.stringContaining("are not in") });
    expect(read.length).toBeGreaterThan(1);
    expect(read).toEqual(whole.slice(0, read.length).map(({ id }) => id));
    expect((await app.stateAt("run", "1")).input).toBe(0);
    const gone = String(Number(read.at(-1)) - 1);
    expect((await errorOf(app.stateAt("run", gone))).code).toBe("CHECKPOINT_UNREADABLE");
    // what was pruned is no gap
    await store.delete(segments[0] ?? "");
    expect((await all(app.history("run"))).map(({ id }) => id)).toEqual(read);
  });

  it.each([
    [2, "Start the run anew with forceNewRun: true and takeover: true, or delete the checkpoint from the store."],
    [4, "Update kumiko."],
  ])("is CHECKPOINT_UNREADABLE where a segment has format version %i", async (version, advice) => {
    const store = memoryStore();
    const app = new Graph<number, number>()
      .addNode("count", (n: number) => n + 1)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (n) => (n < 60 ? "count" : END))
      .compile({ store, durability: "step", history: true, maxSteps: 1_000 });
    await app.invoke(0, { checkpointId: "run" });
    const [first = ""] = await idsUnder(store, "~history/run/");
    const row = await store.get(first);
    const text = new TextDecoder().decode(row?.data);
    const other = text.replace(/^\{"version":3,/, `{"version":${version},`);
    expect(other).not.toBe(text);
    await store.put(first, new TextEncoder().encode(other), row?.version);
    const message =
      `A segment of the history of "run" has format version ${version}, but this version of kumiko reads only version 3. ` +
      advice;
    for (const call of [
      () => all(app.history("run")),
      () => app.stateAt("run", "1"),
      () => app.prune("run", { last: 1 }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: "CHECKPOINT_UNREADABLE", message });
    }
  });

  it("is kept in segments that old entries leave with, and stays readable", async () => {
    const store = memoryStore();
    const app = new Graph<number, number>()
      .addNode("count", (n: number) => n + 1)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (n) => (n < 200 ? "count" : END))
      .compile({ store, durability: "step", history: { last: 50 }, maxSteps: 1_000 });
    await app.invoke(0, { checkpointId: "run" });
    const entries = await all(app.history("run"));
    const numbers = entries.map(({ id }) => Number(id));
    expect(numbers[0]).toBe(202);
    expect(numbers).toEqual(numbers.map((_n, index) => 202 - index));
    expect(numbers.length).toBeGreaterThanOrEqual(50);
    expect(numbers.length).toBeLessThan(80);
    expect((await idsUnder(store, "~history/run/")).length).toBeGreaterThan(3);
    expect(await idsUnder(store, "")).toEqual(["run"]);
    const { output } = await app.stateAt("run", "180");
    expect(output("count")).toBe(179);
    expect(await app.prune("run", { last: 10 })).toBeGreaterThan(20);
    expect((await all(app.history("run"))).length).toBeLessThan(30);
    expect((await errorOf(app.stateAt("run", "150"))).code).toBe("UNKNOWN_ENTRY");
    await app.forget("run");
    expect([...(await idsUnder(store, "")), ...(await idsUnder(store, "~"))]).toEqual([]);
  });

  it("needs a store that appends, and a run that was saved with it", async () => {
    const { get, put, delete: remove, list } = memoryStore();
    const without = { get, put, delete: remove, list } as CheckpointStore;
    expect(() => compile(without)).toThrow(/store with append/);
    const store = memoryStore();
    await questionId(compile(store, { history: false }).invoke("a", { checkpointId: "run" }));
    expect((await errorOf(all(compile(store).history("run")))).code).toBe("NO_HISTORY");
    expect((await errorOf(all(compile(store).history("other")))).code).toBe("UNKNOWN_CHECKPOINT");
    const long = "ä".repeat(200);
    expect((await errorOf(compile(store).invoke("a", { checkpointId: long }))).message).toContain("490");
  });
});

describe("stateAt", () => {
  it("reads the newest save of a run that waits, and of one that is finished and kept, without a history", async () => {
    const app = compile(memoryStore(), { history: false, keepCheckpoint: true });
    const id = await questionId(app.invoke("a", { checkpointId: "run" }));
    const waiting = await app.stateAt("run");
    expect([waiting.state(), waiting.output("first"), waiting.output()]).toEqual([{ notes: ["a"] }, "a1", undefined]);
    await app.resume("run", { [id]: "b" });
    const done = await app.stateAt("run");
    expect([done.state(), done.output()]).toEqual([{ notes: ["a", "a1b"] }, "a1b!"]);
  });

  it("has the result of a streamed run, and the input as long as there is a first entry", async () => {
    const app = compile(memoryStore());
    const id = await questionId(app.stream("a", { checkpointId: "run" }).concat());
    await app.resumeStream("run", { [id]: "b" }).concat();
    const { input, output } = await app.stateAt("run");
    expect([input, output()]).toEqual(["a", "a1b!"]);
  });
});

describe("fork", () => {
  it("goes on from an entry under another id, and asks anew; the original stays", async () => {
    const log: string[] = [];
    const store = memoryStore();
    const app = compile(store, {}, log);
    const id = await questionId(app.invoke("a", { checkpointId: "run" }));
    await app.resume("run", { [id]: "b" });
    log.length = 0;
    const copy = await app.fork("run", { entry: "3" });
    const asked = await questionId(app.resume(copy));
    expect(asked).not.toBe(id);
    expect(await app.resume(copy, { [asked]: "c" })).toBe("a1c!");
    expect(log).toEqual(["ask", "last"]);
    expect((await all(app.history(copy))).at(-1)).toMatchObject({ cause: "fork", parent: "run#3" });
    expect((await app.stateAt("run")).output()).toBe("a1b!");
  });

  it("has the graphs inside with it: what has finished there does not run again", async () => {
    const ran: string[] = [];
    const note = (name: string) => (text: string) => {
      ran.push(name);
      return `${text}${name}`;
    };
    const inner = new Graph<string, string>()
      .addNode("a", note("a"))
      .addNode("b", note("b"))
      .addNode("c", note("c"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .addEdge("c", END);
    const app = new Graph<string, string>()
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ store: memoryStore(), durability: "step", history: true });
    await app.invoke("", { checkpointId: "run" });
    const entries = await all(app.history("run"));
    const entry = entries.find((one) => one.ran.includes("inner/a"))?.id;
    ran.length = 0;
    const copy = await app.fork("run", { entry });
    expect(await app.resume(copy)).toBe("abc");
    expect(ran).toEqual(["b", "c"]);
  });

  it("takes another state and outputs that nobody has read", async () => {
    const app = compile(memoryStore());
    await questionId(app.invoke("a", { checkpointId: "run" }));
    const edited = await app.fork("run", {
      entry: "2",
      to: "edited",
      editState: () => ({ notes: ["edited"] }),
      outputs: { first: "x" },
    });
    expect(edited).toBe("edited");
    const id = await questionId(app.resume("edited"));
    expect(await app.resume("edited", { [id]: "y" })).toBe("xy!");
    expect((await app.stateAt("edited")).state()).toEqual({ notes: ["edited", "xy"] });
    const start = await app.fork("run", { entry: "1", outputs: { start: "s" } });
    expect((await all(app.history(start)))[0]?.next).toEqual(["first"]);
    const again = await questionId(app.resume(start));
    expect(await app.resume(start, { [again]: "" })).toBe("s1!");
  });

  it("refuses ids that are taken or reserved, and outputs that were read", async () => {
    const app = compile(memoryStore());
    await questionId(app.invoke("a", { checkpointId: "run" }));
    const refused = async (options: object) => (await errorOf(app.fork("run", options))).code;
    expect(await refused({ to: "run" })).toBe("CHECKPOINT_CONFLICT");
    expect(await refused({ to: "~mine" })).toBe("INVALID_KEY");
    expect(await refused({ outputs: { nowhere: 1 } })).toBe("NOT_EDITABLE");
    expect(await refused({ outputs: { start: 1 } })).toBe("NOT_EDITABLE");
    expect(await refused({ entry: "99" })).toBe("UNKNOWN_ENTRY");
    expect((await errorOf(app.fork("other"))).code).toBe("UNKNOWN_CHECKPOINT");
  });
});

describe("forget", () => {
  it("leaves a run alone that somebody has claimed, unless it is told to take it over", async () => {
    const store = memoryStore();
    let release: () => void = () => {};
    const app = new Graph<string, string>()
      .addNode("waits", async (text: string) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return text;
      })
      .addEdge(START, "waits")
      .addEdge("waits", END)
      .compile({ store, history: true });
    const running = app.invoke("a", { checkpointId: "run" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await errorOf(app.forget("run"))).code).toBe("CHECKPOINT_IN_USE");
    await app.forget("run", { takeover: true });
    release();
    expect((await errorOf(running)).code).toBe("CHECKPOINT_LOST");
    await app.forget("never there");
  });
});
