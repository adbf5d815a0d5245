import { Chain, type CompileOptions, END, Graph, memoryStore, RunControl, Runtime, START } from "kumiko";
import type { CheckpointStore, SavedRun } from "kumiko/compose";
import { runs as runsOf } from "kumiko/durable";
import { manualClock } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { gate } from "../gate.js";
import { errorOf, rejectedBy } from "../rejected-by.js";

/** A chain that shouts, asks whether to send, and says what it did. */
function order(log: string[], options: CompileOptions = {}, expiresMs?: number) {
  return new Chain<string>()
    .append(
      (text) => {
        log.push("shout");
        return text.toUpperCase();
      },
      { key: "shout" },
    )
    .append(
      async (text, ctx) => {
        const answer = await ctx.ask("send", { text }, z.boolean(), { expiresMs });
        log.push("send");
        return answer ? `sent ${text}` : `kept ${text}`;
      },
      { key: "send" },
    )
    .compile({ name: "order", store: memoryStore(), ...options });
}

/** A store that notes the methods that are called. */
function recorded(store: CheckpointStore, calls: string[]): CheckpointStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        calls.push(String(name));
        return value.apply(target, args);
      };
    },
  });
}

const questionIn = (run: SavedRun<unknown>) => {
  const [question] = run.interrupts;
  if (question === undefined) throw new Error(`It is ${run.status}.`);
  return question.id;
};

describe("segment", () => {
  it("calls the store for a new run as often as invoke does", async () => {
    const calls: string[] = [];
    const app = order([], { store: recorded(memoryStore(), calls), durability: "step" });
    await rejectedBy(app.invoke("tea", { checkpointId: "6" }));
    const invoked = calls.splice(0);
    await app.segment("7", { input: "tea" });
    expect(calls).toEqual(invoked);
  });

  it("tells no handler of a run that is stored already, nor looks at what it is given for a new one", async () => {
    const app = order([]);
    const run = await app.segment("7", { input: "tea" });
    const names: string[] = [];
    const callbacks = [{ onStart: ({ name }: { name: string }) => void names.push(name) }];
    const unsaved: unknown = () => "coffee";
    expect(await app.segment("7", { input: unsaved as string, callbacks })).toEqual(run);
    expect(names).toEqual([]);
  });

  it("starts a run, and stops where it asks", async () => {
    const app = order([]);
    const run = await app.segment("7", { input: "tea" });
    expect(run).toMatchObject({ id: "7", graph: "order", status: "waiting", attempts: 0 });
    expect(run.interrupts).toMatchObject([{ key: "send", info: { text: "TEA" } }]);
    expect(run.startedAt).toBeInstanceOf(Date);
  });

  it("returns a waiting run untouched, without answers or with such as are for other questions", async () => {
    const log: string[] = [];
    const app = order(log);
    const run = await app.segment("7", { input: "tea" });
    expect(await app.segment("7")).toEqual(run);
    expect(await app.segment("7", { input: "coffee", answers: { other: true } })).toEqual(run);
    expect(log).toEqual(["shout"]);
  });

  it("goes on with an answer, and keeps the end for all who ask again", async () => {
    const log: string[] = [];
    const app = order(log);
    const id = questionIn(await app.segment("7", { input: "tea" }));
    const run = await app.segment("7", { answers: { [id]: true } });
    expect(run).toMatchObject({ status: "finished", output: "sent TEA", interrupts: [] });
    expect(await app.segment("7", { answers: { [id]: false } })).toEqual(run);
    expect(log).toEqual(["shout", "send"]);
  });

  it("answers by address, too", async () => {
    const app = order([]);
    const { interrupts } = await app.segment("7", { input: "tea" });
    const answers = { byAddress: { [interrupts[0]?.address ?? ""]: false, "runnable:elsewhere": 1 } };
    expect(await app.segment("7", { answers })).toMatchObject({ status: "finished", output: "kept TEA" });
  });

  it("rejects an answer that does not fit, and leaves the row as it was", async () => {
    const store = memoryStore();
    const app = order([], { store });
    const id = questionIn(await app.segment("7", { input: "tea" }));
    const before = await store.get("7");
    expect((await errorOf(app.segment("7", { answers: { [id]: "perhaps" } }))).code).toBe("ANSWER_MISMATCH");
    expect((await store.get("7"))?.data).toEqual(before?.data);
    expect(await app.segment("7", { answers: { [id]: true } })).toMatchObject({ status: "finished" });
  });

  it("starts once, however many call at once, and gives all the same", async () => {
    const log: string[] = [];
    const app = order(log);
    const runs = await Promise.all(Array.from({ length: 20 }, () => app.segment("7", { input: "tea" })));
    expect(log).toEqual(["shout"]);
    const id = questionIn(runs[0] as SavedRun<string>);
    const ends = await Promise.all(Array.from({ length: 20 }, () => app.segment("7", { answers: { [id]: true } })));
    expect(log).toEqual(["shout", "send"]);
    expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(1);
  });

  it("is UNKNOWN_CHECKPOINT without an input, and begins with one that is undefined", async () => {
    const app = new Chain<undefined>().append((given) => String(given)).compile({ name: "a", store: memoryStore() });
    expect((await errorOf(app.segment("7"))).code).toBe("UNKNOWN_CHECKPOINT");
    expect(await app.segment("7", { input: undefined })).toMatchObject({ status: "finished", output: "undefined" });
  });

  it("refuses the run of another graph, naming both", async () => {
    const store = memoryStore();
    await order([], { store }).segment("7", { input: "tea" });
    const other = order([], { store, name: "offer" });
    const error = await rejectedBy(other.segment("7"));
    expect(error).toMatchObject({ code: "GRAPH_CHANGED", message: expect.stringMatching(/"order".*"offer"/) });
  });

  it.each([
    [{ inputs: 1 }, /Unknown option "inputs"/],
    [{ onBusy: "no" }, /onBusy/],
    [{ maxAttempts: 0 }, /maxAttempts/],
    [{ storeWaitMs: -1 }, /storeWaitMs/],
    [{ answers: 1 }, /answers/],
    [{ checkpointId: "x" }, /checkpointId/],
    [{ takeover: true }, /takeover/],
  ])("refuses %j", async (options, message) => {
    const error = await rejectedBy(order([]).segment("7", options as object));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringMatching(message) });
  });

  it("needs a store", async () => {
    const app = new Chain<string>().append((text) => text).compile();
    expect((await errorOf(app.segment("7", { input: "" }))).code).toBe("NO_STORE");
  });
});

describe("A run that fails", () => {
  function flaky(store: CheckpointStore, log: string[]) {
    let fails = true;
    const app = new Chain<string>()
      .append((text) => {
        log.push("first");
        return text;
      })
      .append((text) => {
        log.push("second");
        if (fails) throw new RangeError("too far");
        return `${text}!`;
      })
      .compile({ name: "flaky", store });
    return { app, mend: () => (fails = false) };
  }

  it("is a value, again and again; with retry it goes on", async () => {
    const log: string[] = [];
    const { app, mend } = flaky(memoryStore(), log);
    const run = await app.segment("7", { input: "a" });
    expect(run).toMatchObject({ status: "failed", error: { code: "NODE_FAILED", nodePath: expect.any(Array) } });
    const again = await app.segment("7");
    expect(again.status).toBe("failed");
    expect(again.error?.message).toBe(run.error?.message);
    mend();
    expect(await app.segment("7", { retry: true })).toMatchObject({ status: "finished", output: "a!" });
    expect(log).toEqual(["first", "second", "second"]);
  });

  it("fails where its input does not fit", async () => {
    const store = memoryStore();
    const app = new Chain({ input: z.string().min(3) }).append((text) => text).compile({ name: "strict", store });
    const run = await app.segment("7", { input: "a" });
    expect(run).toMatchObject({ status: "failed", error: { code: "VALIDATION" } });
    expect((await app.segment("7", { input: "long enough" })).status).toBe("failed");
  });
});

describe("A value that cannot be saved", () => {
  const live = { call: () => 1 };

  it("is the result of who has run it, and undefined for all others", async () => {
    for (const durability of ["step", "exit"] as const) {
      const app = new Chain<string>().append(() => live).compile({ name: "a", store: memoryStore(), durability });
      expect(await app.segment("7", { input: "x" })).toMatchObject({ status: "finished", output: live });
      expect(await app.segment("7")).toMatchObject({ status: "finished", output: undefined });
    }
  });

  it("fails a run that goes on with it", async () => {
    const store = memoryStore();
    const app = new Chain<string>()
      .append(() => live)
      .append(() => "never")
      .compile({ name: "a", store });
    const failed = { status: "failed", error: { code: "NOT_SERIALIZABLE" } };
    expect(await app.segment("7", { input: "x" })).toMatchObject(failed);
    expect(await app.segment("7")).toMatchObject(failed);
    expect(await runsOf(store).get("7")).toMatchObject(failed);
    expect(await app.segment("7", { retry: true })).toMatchObject(failed);
  });

  it("fails a run that asks with it", async () => {
    const app = new Chain<string>()
      .append(async (text, ctx) => ctx.ask<string>("q", text))
      .compile({ name: "a", store: memoryStore() });
    const info = { info: live };
    const asks = new Chain<string>()
      .append(async (_text, ctx) => ctx.ask<string>("q", info))
      .compile({ name: "b", store: memoryStore() });
    expect((await app.segment("7", { input: "x" })).status).toBe("waiting");
    expect(await asks.segment("7", { input: "x" })).toMatchObject({
      status: "failed",
      error: { code: "NOT_SERIALIZABLE" },
    });
  });
});

describe("A segment that is stopped", () => {
  function waits(store: CheckpointStore, log: string[]) {
    const opened = gate();
    const begun = gate();
    const app = new Chain<string>()
      .append((text) => {
        log.push("first");
        return text;
      })
      .append(async (text, { signal }) => {
        log.push("slow");
        begun.open();
        await Promise.race([
          opened.promise,
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        ]);
        return `${text}!`;
      })
      .compile({ name: "slow", store });
    return { app, opened, begun };
  }

  it("rejects when it is aborted, and the run is ready", async () => {
    const log: string[] = [];
    const { app, opened, begun } = waits(memoryStore(), log);
    const stop = new AbortController();
    const running = rejectedBy(app.segment("7", { input: "a", signal: stop.signal }));
    await begun.promise;
    expect((await app.segment("7", { onBusy: "return" })).status).toBe("running");
    stop.abort(new Error("enough"));
    expect(await running).toMatchObject({ message: "enough" });
    opened.open();
    expect(await app.segment("7")).toMatchObject({ status: "finished", output: "a!" });
    expect(log).toEqual(["first", "slow", "slow"]);
  });

  it("returns ready when its control interrupts it", async () => {
    const log: string[] = [];
    const { app, opened, begun } = waits(memoryStore(), log);
    const control = new RunControl();
    const running = app.segment("7", { input: "a", control });
    await begun.promise;
    control.interrupt({ timeoutMs: 0 });
    expect(await running).toMatchObject({ status: "ready", interrupts: [] });
    opened.open();
    expect(await app.segment("7")).toMatchObject({ status: "finished", output: "a!" });
  });

  it("ends with its time", async () => {
    const { app, opened } = waits(memoryStore(), []);
    expect(await rejectedBy(app.segment("7", { input: "a", timeoutMs: 20 }))).toMatchObject({ name: "TimeoutError" });
    opened.open();
    expect((await app.segment("7")).status).toBe("finished");
  });

  it("waits for one that runs elsewhere, and takes over what is certainly dead", async () => {
    const log: string[] = [];
    const store = memoryStore();
    const { app, opened, begun } = waits(store, log);
    const running = app.segment("7", { input: "a" });
    await begun.promise;
    const waiting = app.segment("7");
    opened.open();
    expect(await waiting).toEqual(await running);
  });

  it("is cancelled when its row is gone", async () => {
    const store = memoryStore();
    const { app, opened, begun } = waits(store, []);
    const running = app.segment("7", { input: "a" });
    await begun.promise;
    await store.delete("7");
    opened.open();
    expect(await running).toMatchObject({ status: "cancelled" });
    expect(await store.get("7")).toBeUndefined();
  });
});

describe("Deadlines of questions", () => {
  it("count as answers once they have passed", async () => {
    const app = order([], {}, 0);
    const first = await app.segment("7", { input: "tea" });
    expect(first.interrupts[0]?.expiresAt).toBeTypeOf("number");
    const late = await app.segment("7");
    expect(late).toMatchObject({ status: "failed", error: { code: "QUESTION_EXPIRED" } });
  });

  it("make answers late, which are ignored", async () => {
    const clock = manualClock(1_000);
    const app = order([], { runtime: new Runtime({ clock }) }, 500);
    const id = questionIn(await app.segment("7", { input: "tea" }));
    clock.advance(500);
    const late = await app.segment("7", { answers: { [id]: true } });
    expect(late).toMatchObject({ status: "failed", error: { code: "QUESTION_EXPIRED" } });
  });

  it("are caught by a fallback", async () => {
    const app = new Graph<string, string>()
      .addNode("ask", async (text, ctx) => String(await ctx.ask("go", text, undefined, { expiresMs: 0 })), {
        retry: { attempts: 3 },
        fallback: () => "nobody came",
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ name: "g", store: memoryStore() });
    expect((await app.segment("7", { input: "tea" })).status).toBe("waiting");
    expect(await app.segment("7")).toMatchObject({ status: "finished", output: "nobody came" });
  });
});
