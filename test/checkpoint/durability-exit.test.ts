import { type CheckpointStore, END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

const stop = new Error("stop");

/** `first`, then `done` and `stuck` side by side, then `join`. What `stuck` does can be changed. */
function stuckGraph(log: string[], store: CheckpointStore, stuck: (signal: AbortSignal) => unknown) {
  const note = (key: string) => (text: string) => {
    log.push(key);
    return `${text}${key}`;
  };
  return new Graph<string, string>()
    .addNode("first", note("f"))
    .addNode("done", note("d"), { outputKey: "done" })
    .addNode(
      "stuck",
      async (text: string, ctx) => {
        log.push("s");
        await stuck(ctx.signal);
        return `${text}s`;
      },
      { outputKey: "stuck" },
    )
    .addNode("join", ({ done, stuck: other }: { done: string; stuck: string }) => {
      log.push("j");
      return `${done} ${other}`;
    })
    .addEdge(START, "first")
    .addEdge("first", "done")
    .addEdge("first", "stuck")
    .addEdge("done", "join")
    .addEdge("stuck", "join")
    .addEdge("join", END)
    .compile({ store, durability: "exit" });
}

describe('Durability "exit"', () => {
  it("is the default: nothing is saved while nodes run", async () => {
    const store = watchedStore();
    const seen: number[] = [];
    const app = orderChain({ on: () => void seen.push(store.puts) }, { store });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    await app.resume("id", { [id]: "b" });
    const [first, question, last] = seen;
    expect(first).toBeLessThanOrEqual(1);
    expect(question).toBeGreaterThan(first ?? 0);
    expect(last).toBe(question);
  });

  it("leaves nothing behind a run that ends well", async () => {
    const store = watchedStore();
    const app = stuckGraph([], store, () => undefined);
    expect(await app.invoke("a", { checkpointId: "id" })).toBe("afd afs");
    expect(await app.stream("a", { checkpointId: "id" }).concat()).toBe("afd afs");
    expect(await store.ids()).toEqual([]);
  });

  it("has saved when an interrupt arrives: another process goes on", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const { id } = await questionOf(orderChain({ log }, { store }).invoke("a", { checkpointId: "id" }));
    const other = await store.copy();
    expect(await orderChain({ log }, { store: other }).resume("id", { [id]: "b" })).toBe("a>b.");
    expect(log).toEqual(["first", "asks", "asks", "question", "last"]);
  });

  it("has saved when the interrupt arrives in a stream", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const app = orderChain({ log }, { store });
    const { id } = await questionOf(app.stream("a", { checkpointId: "id" }).concat());
    const other = orderChain({ log }, { store: await store.copy() });
    expect(await other.resumeStream("id", { [id]: "b" }).concat()).toBe("a>b.");
    expect(log).toEqual(["first", "asks", "asks", "question", "last"]);
  });

  it("has saved when a failure arrives: what was done is not done again", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const failing = stuckGraph(log, store, async () => {
      await turns();
      throw stop;
    });
    expect(await errorOf(failing.invoke("a", { checkpointId: "id" }))).toMatchObject({
      code: "NODE_FAILED",
      cause: stop,
      nodePath: ["stuck"],
    });
    const fixed = stuckGraph(log, await store.copy(), () => undefined);
    expect(await fixed.resume("id")).toBe("afd afs");
    expect(log.sort()).toEqual(["d", "f", "j", "s", "s"]);
  });

  it("has saved when an abort arrives", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const [controller, reached] = [new AbortController(), gate()];
    const stuck = stuckGraph(log, store, () => {
      reached.open();
      return forever();
    });
    const run = rejectedBy(stuck.invoke("a", { checkpointId: "id", signal: controller.signal }));
    await reached.promise;
    await turns();
    controller.abort(stop);
    expect(await run).toBe(stop);
    const fixed = stuckGraph(log, await store.copy(), () => undefined);
    expect(await fixed.resume("id")).toBe("afd afs");
    expect(log.sort()).toEqual(["d", "f", "j", "s", "s"]);
  });

  it("has saved when a time-out arrives", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const stuck = stuckGraph(log, store, forever);
    const run = stuck.invoke("a", { checkpointId: "id", timeoutMs: 5 });
    expect(await rejectedBy(run)).toMatchObject({ name: "TimeoutError" });
    const fixed = stuckGraph(log, await store.copy(), () => undefined);
    expect(await fixed.resume("id")).toBe("afd afs");
    expect(log.sort()).toEqual(["d", "f", "j", "s", "s"]);
  });

  it("saves a stopped run whose nodes do not heed their signal, and takes nothing from them later", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const [controller, reached, late] = [new AbortController(), gate(), gate()];
    const stuck = stuckGraph(log, store, () => {
      reached.open();
      return late.promise;
    });
    const run = rejectedBy(stuck.invoke("a", { checkpointId: "id", signal: controller.signal }));
    await reached.promise;
    await turns();
    controller.abort(stop);
    await run;
    const saved = await store.text("id");
    late.open();
    await turns();
    expect(await store.text("id")).toBe(saved);
    expect(log).toEqual(["f", "d", "s"]);
  });

  it("saves every time that a run stops, until it is done", async () => {
    const store = watchedStore();
    const log: string[] = [];
    let failures = 3;
    const app = stuckGraph(log, store, () => {
      if (failures-- > 0) throw stop;
    });
    await rejectedBy(app.invoke("a", { checkpointId: "id" }));
    await rejectedBy(app.resume("id"));
    await rejectedBy(app.resume("id"));
    expect(await app.resume("id")).toBe("afd afs");
    expect(log.filter((key) => key === "f" || key === "j")).toEqual(["f", "j"]);
    expect(await store.ids()).toEqual([]);
  });
});
