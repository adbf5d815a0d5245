import { Chain, END, Graph, isInterrupt, memoryStore, RunControl, Runtime, START } from "kumiko";
import type { CheckpointStore, RunIndex } from "kumiko/compose";
import { manualClock } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { storeFailed } from "../../../src/checkpoint/errors.js";
import { changeHead } from "../../../src/checkpoint/runs/change-head.js";
import { fastClock } from "../../fast-clock.js";
import { rejectedBy } from "../rejected-by.js";

/** A store that is away for the calls that a test says. */
function shakyStore(isAway: (call: string, nth: number) => boolean, isOwnerAlive = true) {
  const rows = memoryStore();
  let nth = 0;
  const indices: (RunIndex | undefined)[] = [];
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (isAway(name, nth++)) throw storeFailed("the database is away");
    const value = await work();
    if (isAway(`${name} confirmed`, nth)) throw storeFailed("the connection was lost");
    return value;
  };
  const store: CheckpointStore = {
    get: (id) => around("get", () => rows.get(id)),
    put: (id, data, version, index) => {
      indices.push(index);
      return around("put", () => rows.put(id, data, version, index));
    },
    append: (id, data, version, index) => {
      indices.push(index);
      return around("append", () => rows.append?.(id, data, version, index) as Promise<number>);
    },
    delete: (id, version) => around("delete", () => rows.delete(id, version)),
    list: (prefix) => rows.list(prefix),
    isOwnerAlive: async () => isOwnerAlive,
  };
  return { store, rows, indices };
}

function counting(store: CheckpointStore, log: string[], runtime?: Runtime) {
  const note = (name: string) => (text: string) => {
    log.push(name);
    return `${text}${name}`;
  };
  const chain = new Chain<string>().append(note("a")).append(note("b")).append(note("c"));
  return chain.compile({ name: "count", store, ...(runtime && { runtime }) });
}

describe("A store that is away for a while", () => {
  it("is asked again: for reads, claims and saves, and no task is repeated", async () => {
    for (let away = 0; away < 8; away++) {
      const log: string[] = [];
      const { store } = shakyStore((call, nth) => !call.endsWith("confirmed") && nth === away);
      const run = await counting(store, log).segment("7", { input: "" });
      expect(run).toMatchObject({ status: "finished", output: "abc" });
      expect(log).toEqual(["a", "b", "c"]);
    }
  });

  it("may lose the confirmation of a save", async () => {
    for (let lost = 0; lost < 8; lost++) {
      const log: string[] = [];
      const { store } = shakyStore((call, nth) => call.endsWith("confirmed") && nth === lost);
      const run = await counting(store, log).segment("7", { input: "" });
      expect(run).toMatchObject({ status: "finished", output: "abc" });
      expect(log).toEqual(["a", "b", "c"]);
    }
  });

  it("may lose that of the save with which a segment stops, which is not written twice", async () => {
    for (let lost = 0; lost < 10; lost++) {
      const log: string[] = [];
      const { store, rows } = shakyStore((call, nth) => call.endsWith("confirmed") && nth === lost);
      const control = new RunControl();
      const countOn = (on: CheckpointStore) =>
        new Graph<number, number>()
          .addNode("count", (n: number) => {
            log.push(`count ${n}`);
            if (n === 2) control.interrupt();
            return n + 1;
          })
          .addEdge(START, "count")
          .addBranch("count", ["count", END], (n: number) => (n < 5 ? "count" : END))
          .compile({ name: "loop", store: on, runtime: new Runtime({ clock: fastClock }) });
      const stopped = await countOn(store).segment("7", { input: 0, control });
      expect([lost, stopped.status]).toEqual([lost, "ready"]);
      const entries = ((await rows.get("7"))?.appended ?? []).map((entry) => new TextDecoder().decode(entry));
      expect([lost, entries]).toEqual([lost, [...new Set(entries)]]);
      expect(await countOn(rows).segment("7")).toMatchObject({ status: "finished", output: 5 });
      expect([lost, log]).toEqual([lost, ["count 0", "count 1", "count 2", "count 3", "count 4"]]);
    }
  });

  it("may lose that of a question, and of a save that is tried again while it is away", async () => {
    for (let lost = 0; lost < 8; lost++) {
      const log: string[] = [];
      // the call after the lost confirmation fails, too
      const { store, rows } = shakyStore((call, nth) =>
        call.endsWith("confirmed") ? nth === lost : nth === lost + 1 && call !== "get",
      );
      const askOn = (on: CheckpointStore) =>
        new Chain<string>()
          .append((text) => {
            log.push("a");
            return `${text}a`;
          })
          .append(async (text, ctx) => `${text}${await ctx.ask<string>("q", text)}`)
          .append((text) => {
            log.push("c");
            return `${text}c`;
          })
          .compile({ name: "ask", store: on, runtime: new Runtime({ clock: fastClock }) });
      const run = await askOn(store).segment("7", { input: "" });
      expect([lost, run.status]).toEqual([lost, "waiting"]);
      const entries = ((await rows.get("7"))?.appended ?? []).map((entry) => new TextDecoder().decode(entry));
      expect([lost, entries]).toEqual([lost, [...new Set(entries)]]);
      const [question] = run.interrupts;
      const done = await askOn(rows).segment("7", { answers: { [question?.id ?? ""]: "b" } });
      expect([lost, done]).toMatchObject([lost, { status: "finished", output: "abc" }]);
      expect([lost, log]).toEqual([lost, ["a", "c"]]);
    }
  });

  it("is asked for one save at a time, while one is tried again", async () => {
    const { store: rows } = shakyStore(() => false);
    const log: string[] = [];
    let tries = 0;
    let underWay = 0;
    let most = 0;
    let endOther: () => void = () => undefined;
    const other = new Promise<void>((resolve) => {
      endOther = resolve;
    });
    const write = async (work: () => Promise<number>): Promise<number> => {
      underWay += 1;
      most = Math.max(most, underWay);
      try {
        tries += 1;
        // the save of one task: it fails, is tried again, and the other task ends while that is under way
        if (tries === 3) throw storeFailed("the database is away");
        if (tries === 4) {
          endOther();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return await work();
      } finally {
        underWay -= 1;
      }
    };
    const store: CheckpointStore = {
      ...rows,
      put: (id, data, version, index) => write(() => rows.put(id, data, version, index)),
      append: (id, data, version, index) => write(() => rows.append?.(id, data, version, index) as Promise<number>),
    };
    const graph = new Graph<string, Record<string, string>>()
      .addNode("begin", (text: string) => text)
      .addNode(
        "one",
        (text: string) => {
          log.push("one");
          return `${text}1`;
        },
        { outputKey: "one" },
      )
      .addNode(
        "other",
        async (text: string) => {
          await other;
          log.push("other");
          return `${text}2`;
        },
        { outputKey: "other" },
      )
      .addEdge(START, "begin")
      .addEdge("begin", "one")
      .addEdge("begin", "other")
      .addEdge("one", END)
      .addEdge("other", END)
      .compile({ name: "sides", store, triggerMode: "allPredecessor" });
    expect(await graph.segment("7", { input: "x" })).toMatchObject({
      status: "finished",
      output: { one: "x1", other: "x2" },
    });
    expect([log, most]).toEqual([["one", "other"], 1]);
  });

  it("may lose that of either row where the history begins another segment", async () => {
    const turns = 14;
    const turnIn = (text: string): number => Number.parseInt(text, 10);
    for (let lost = 0; lost < 22; lost++) {
      const log: string[] = [];
      const { store, rows } = shakyStore((call, nth) => call.endsWith("confirmed") && nth === lost);
      const loopOn = (on: CheckpointStore) =>
        new Graph<string, string>()
          .addNode("turn", (text: string) => {
            log.push(text.slice(0, 3));
            return `${turnIn(text) + 1} ${"x".repeat(600 + turnIn(text))}`;
          })
          .addEdge(START, "turn")
          .addBranch("turn", ["turn", END], (text: string) => (turnIn(text) < turns ? "turn" : END))
          .compile({
            name: "loop",
            store: on,
            history: true,
            maxSteps: 50,
            runtime: new Runtime({ clock: fastClock }),
          });
      const run = await loopOn(store).segment("7", { input: "0" });
      expect([lost, run.status, log.length]).toEqual([lost, "finished", turns]);
      const entries: string[] = [];
      for await (const { id } of loopOn(rows).history("7")) entries.push(id);
      expect(entries).toHaveLength(turns + 2);
    }
  });

  it("fails the call after storeWaitMs", async () => {
    const { store } = shakyStore(() => true);
    const error = await rejectedBy(counting(store, []).segment("7", { input: "", storeWaitMs: 0 }));
    expect(error).toMatchObject({ code: "STORE_FAILED" });
  });
});

describe("A run whose processes die", () => {
  const died = async (store: CheckpointStore, owner: string) => {
    const row = await store.get("7");
    if (row === undefined) throw new Error("Nothing is stored.");
    await changeHead(store, "7", row, { status: "running", owner, claim: "x.1" });
  };

  it("is abandoned after as many claims as it may have, and retried", async () => {
    const { store, rows } = shakyStore(() => false, false);
    const app = new Chain<string>()
      .append(async (text, ctx) => ctx.ask<string>("q", text))
      .compile({ name: "poison", store });
    await app.segment("7", { input: "x" });
    const row = await rows.get("7");
    if (row === undefined) throw new Error("Nothing is stored.");
    await changeHead(rows, "7", row, { status: "running", owner: "node/gone/1/x", claim: "x.1", attempts: 4 });
    const run = await app.segment("7");
    expect(run).toMatchObject({ status: "failed", attempts: 5, error: { code: "RUN_ABANDONED" } });
    expect((await app.segment("7")).status).toBe("failed");
    expect(await app.segment("7", { retry: true })).toMatchObject({ status: "waiting", attempts: 0 });
  });

  it("counts a claim that is taken from a dead process, until a task is saved", async () => {
    const { store, rows } = shakyStore(() => false, false);
    const log: string[] = [];
    const app = new Chain<string>()
      .append(async (text, ctx) => {
        log.push("ask");
        return ctx.ask<string>("q", text);
      })
      .append((answer) => `${answer}!`)
      .compile({ name: "g", store });
    await app.segment("7", { input: "x" });
    await died(rows, "node/gone/1/x");
    const run = await app.segment("7");
    expect(run).toMatchObject({ status: "waiting", attempts: 1 });
    expect(await app.segment("7")).toEqual(run);
    const answers = { [run.interrupts[0]?.id ?? ""]: "yes" };
    expect(await app.segment("7", { answers })).toMatchObject({ status: "finished", output: "yes!", attempts: 0 });
  });
});

describe("The index of a run", () => {
  it("goes with every save, and changes only with the status", async () => {
    const { store, indices } = shakyStore(() => false);
    await counting(store, []).segment("7", { input: "" });
    const statuses = indices.map((index) => index?.status);
    expect(statuses[0]).toBe("running");
    expect(statuses.at(-1)).toBe("finished");
    const running = indices.filter((index) => index?.status === "running");
    expect(new Set(running).size).toBe(1);
    expect(running[0]).toMatchObject({ graph: "count", owner: expect.any(String), since: expect.any(Number) });
  });

  it("says when the first deadline of a question passes", async () => {
    const clock = manualClock(1_000);
    const { store, indices } = shakyStore(() => false);
    const app = new Chain<string>()
      .append(async (text, ctx) => ctx.ask<string>("q", text, undefined, { expiresMs: 500 }))
      .compile({ name: "g", store, runtime: new Runtime({ clock }) });
    const run = await app.segment("7", { input: "x" });
    expect(run.interrupts[0]?.expiresAt).toBe(1_500);
    expect(indices.at(-1)).toMatchObject({ status: "waiting", due: 1_500 });
    expect((await app.segment("7")).status).toBe("waiting");
    await clock.advance(500);
    expect(await app.segment("7")).toMatchObject({ status: "failed", error: { code: "QUESTION_EXPIRED" } });
  });

  it("tells how plain runs stand, too", async () => {
    const { store, rows } = shakyStore(() => false);
    const app = new Chain<string>().append(async (text, ctx) => ctx.ask<string>("q", text)).compile({ store });
    expect(isInterrupt(await rejectedBy(app.invoke("x", { checkpointId: "1" })))).toBe(true);
    const failing = new Chain<string>()
      .append((): string => {
        throw new Error("no");
      })
      .compile({ store, name: "f" });
    await rejectedBy(failing.invoke("x", { checkpointId: "2" }));
    expect((await rows.runs?.({}))?.map(({ id, status }) => [id, status])).toEqual([
      ["1", "waiting"],
      ["2", "failed"],
    ]);
  });
});
