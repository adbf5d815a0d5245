import { Chain, type CompileOptions, END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

const durabilities = [["exit"], ["step"]] as const;

/** A chain whose node `slow` waits for a promise, and says when it does. */
function slowChain(log: string[], until: Promise<unknown>, options: CompileOptions) {
  const reached = gate();
  const app = new Chain<string>()
    .append(
      async (text) => {
        log.push("slow");
        reached.open();
        await until;
        return `${text}>`;
      },
      { key: "slow" },
    )
    .append(
      (text) => {
        log.push("last");
        return `${text}.`;
      },
      { key: "last" },
    )
    .compile(options);
  return { app, reached: reached.promise };
}

/** Starts a run that never ends, as one of a process that hangs; gives it up once it is in its node. */
async function hang(store: CompileOptions["store"], id = "id"): Promise<void> {
  const { app, reached } = slowChain([], forever(), { store, durability: "step" });
  app.invoke("a", { checkpointId: id }).catch(() => undefined);
  await reached;
}

describe.each(durabilities)("A run claims its checkpoint (durability %s)", (durability) => {
  it("so that a second run under the id is refused, and runs nothing", async () => {
    const store = memoryStore();
    const [release, log, others] = [gate(), [] as string[], [] as string[]];
    const { app, reached } = slowChain(log, release.promise, { store, durability });
    const first = app.invoke("a", { checkpointId: "id" });
    await reached;
    const second = slowChain(others, release.promise, { store, durability }).app;
    const error = await errorOf(second.invoke("b", { checkpointId: "id" }));
    expect(error.code).toBe("CHECKPOINT_IN_USE");
    expect(error.message).toContain("id");
    expect((await errorOf(second.stream("b", { checkpointId: "id" }).concat())).code).toBe("CHECKPOINT_IN_USE");
    expect(others).toEqual([]);
    release.open();
    expect(await first).toBe("a>.");
  });

  it("so that of many runs that start at once only one runs", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const release = gate();
    const { app, reached } = slowChain(log, release.promise, { store, durability });
    const runs = ["a", "b", "c", "d"].map((text) => app.invoke(text, { checkpointId: "id" }));
    const settled = Promise.allSettled(runs);
    await reached;
    await turns();
    release.open();
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "CHECKPOINT_IN_USE" });
    }
    expect(log).toEqual(["slow", "last"]);
  });

  it("before its first node starts", async () => {
    const store = watchedStore();
    const seen: string[][] = [];
    const app = new Chain<string>()
      .append(async () => void seen.push(await store.ids()))
      .compile({ store, durability });
    await app.invoke("a", { checkpointId: "id" });
    expect(seen).toEqual([["id"]]);
  });

  it("and runs under other ids are not in its way", async () => {
    const store = memoryStore();
    const release = gate();
    const { app, reached } = slowChain([], release.promise, { store, durability });
    const first = app.invoke("a", { checkpointId: "one" });
    await reached;
    const second = app.invoke("b", { checkpointId: "two" });
    await turns();
    release.open();
    expect(await Promise.all([first, second])).toEqual(["a>.", "b>."]);
  });

  it("and so does a resume: a second one without answers is refused, and runs nothing", async () => {
    const store = memoryStore();
    const [log, release] = [[] as string[], gate()];
    const reached = gate();
    const on = async (node: string) => {
      if (node !== "question") return;
      reached.open();
      await release.promise;
    };
    const app = orderChain({ log, on }, { store, durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const resumed = app.resume("id", { [id]: "b" });
    await reached.promise;
    const before = [...log];
    expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_IN_USE");
    expect((await errorOf(app.resumeStream("id").concat())).code).toBe("CHECKPOINT_IN_USE");
    expect(["CHECKPOINT_IN_USE", "ALREADY_ANSWERED"]).toContain((await errorOf(app.resume("id", { [id]: "c" }))).code);
    expect(log).toEqual(before);
    release.open();
    expect(await resumed).toBe("a>b.");
  });

  it("and of many resumes with the same answer only one runs", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = orderChain({ log }, { store, durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => app.resume("id", { [id]: "b" })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toEqual([{ status: "fulfilled", value: "a>b." }]);
    expect(log.filter((entry) => entry === "question" || entry === "last")).toEqual(["question", "last"]);
  });

  it("and gives it back when it waits, fails, is stopped, runs out of time or is done", async () => {
    const store = memoryStore();
    const stop = new Error("stop");
    let trouble = "";
    const controller = new AbortController();
    const on = async (node: string) => {
      if (node !== "last") return;
      const now = trouble;
      trouble = "";
      if (now === "fails") throw stop;
      if (now === "stopped") controller.abort(stop);
      if (now !== "") await forever();
    };
    const app = orderChain({ on }, { store, durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    trouble = "fails";
    expect(await rejectedBy(app.resume("id", { [id]: "b" }))).toMatchObject({ cause: stop });
    trouble = "stopped";
    expect(await rejectedBy(app.resume("id", {}, { signal: controller.signal }))).toBe(stop);
    trouble = "takes long";
    expect(await rejectedBy(app.resume("id", {}, { timeoutMs: 2 }))).toMatchObject({ name: "TimeoutError" });
    expect(await app.resume("id")).toBe("a>b.");
    expect((await questionOf(app.invoke("again", { checkpointId: "id" }))).info).toEqual({ about: "again>" });
  });
});

describe("A claim whose owner does not answer any more", () => {
  it("keeps others out, and they run nothing", async () => {
    const store = memoryStore();
    await hang(store);
    const log: string[] = [];
    const { app } = slowChain(log, Promise.resolve(), { store, durability: "step" });
    for (const run of [
      app.resume("id"),
      app.resumeStream("id").concat(),
      app.invoke("b", { checkpointId: "id" }),
      app.invoke("b", { checkpointId: "id", forceNewRun: true }),
    ]) {
      const error = await errorOf(run);
      expect(error.code).toBe("CHECKPOINT_IN_USE");
      expect(error.message).toContain("takeover");
    }
    expect(log).toEqual([]);
  });

  it("is taken over with takeover: true, and the run goes on from its last save", async () => {
    const store = memoryStore();
    await hang(store);
    const log: string[] = [];
    const { app } = slowChain(log, Promise.resolve(), { store, durability: "step" });
    expect(await app.resume("id", undefined, { takeover: true })).toBe("a>.");
    expect(log).toEqual(["slow", "last"]);
  });

  it("gives way to a new run with forceNewRun and takeover", async () => {
    const store = memoryStore();
    await hang(store);
    const { app } = slowChain([], Promise.resolve(), { store, durability: "step" });
    expect(await app.invoke("b", { checkpointId: "id", forceNewRun: true, takeover: true })).toBe("b>.");
  });

  it("is not needed where nobody claims: takeover: true does no harm", async () => {
    const app = orderChain({}, { store: memoryStore() });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id", takeover: true }));
    expect(await app.resume("id", { [id]: "b" }, { takeover: true })).toBe("a>b.");
  });

  it("is free when the store says that the owner is gone", async () => {
    const owners: string[] = [];
    const isOwnerAlive = (owner: string) => {
      owners.push(owner);
      return false;
    };
    const store = watchedStore({ isOwnerAlive });
    await hang(store);
    const { app } = slowChain([], Promise.resolve(), { store, durability: "step" });
    expect(await app.resume("id")).toBe("a>.");
    expect(owners.length).toBeGreaterThan(0);
    for (const owner of owners) expect(owner).toEqual(expect.stringMatching(/./));
  });

  it("is free for a new run, too, when the store says that the owner is gone", async () => {
    const store = watchedStore({ isOwnerAlive: () => false });
    await hang(store);
    const { app } = slowChain([], Promise.resolve(), { store, durability: "step" });
    expect((await errorOf(app.invoke("b", { checkpointId: "id" }))).code).toBe("CHECKPOINT_PENDING");
    expect(await app.invoke("b", { checkpointId: "id", forceNewRun: true })).toBe("b>.");
  });

  it("is not free when the store says that the owner may be there", async () => {
    const store = watchedStore({ isOwnerAlive: () => true });
    await hang(store);
    const { app } = slowChain([], Promise.resolve(), { store, durability: "step" });
    expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_IN_USE");
  });

  it("is judged by the owner that the claim names, so that all claims of one process are the same owner's", async () => {
    const owners = new Set<string>();
    const isOwnerAlive = (owner: string) => {
      owners.add(owner);
      return true;
    };
    const store = watchedStore({ isOwnerAlive });
    await hang(store, "one");
    await hang(store, "two");
    const { app } = slowChain([], Promise.resolve(), { store, durability: "step" });
    for (const id of ["one", "two"]) expect((await errorOf(app.resume(id))).code).toBe("CHECKPOINT_IN_USE");
    expect(owners.size).toBe(1);
  });
});

describe("A run whose checkpoint was taken over", () => {
  it("fails at its next write with CHECKPOINT_LOST, and starts no further node", async () => {
    const store = memoryStore();
    const [log, release] = [[] as string[], gate()];
    const { app, reached } = slowChain(log, release.promise, { store, durability: "step" });
    const former = rejectedBy(app.invoke("a", { checkpointId: "id" }));
    await reached;
    const { app: other } = slowChain([], Promise.resolve(), { store, durability: "step" });
    expect(await other.resume("id", undefined, { takeover: true })).toBe("a>.");
    release.open();
    expect(await former).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(log).toEqual(["slow"]);
  });

  it("is aborted: what else it has running is told by its signal", async () => {
    const store = memoryStore();
    const [release, reached] = [gate(), gate()];
    let signal: AbortSignal | undefined;
    let hold: Promise<unknown> = release.promise;
    const app = new Graph<string, string>()
      .addNode("writes", async (text: string) => {
        await hold;
        return text;
      })
      .addNode("deaf", (text: string, ctx) => {
        if (hold !== release.promise) return text;
        signal = ctx.signal;
        reached.open();
        return forever();
      })
      .addNode("join", (text: string) => text, { merge: (values) => values.join("") })
      .addEdge(START, "writes")
      .addEdge(START, "deaf")
      .addEdge("writes", "join")
      .addEdge("deaf", "join")
      .addEdge("join", END)
      .compile({ store, durability: "step" });
    const former = rejectedBy(app.invoke("a", { checkpointId: "id" }));
    await reached.promise;
    hold = Promise.resolve();
    expect(await app.resume("id", undefined, { takeover: true })).toBe("aa");
    expect(signal?.aborted).toBe(false);
    release.open();
    expect(await former).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(signal?.aborted).toBe(true);
  });

  it("loses it to a new run as well", async () => {
    const store = memoryStore();
    const [log, release] = [[] as string[], gate()];
    const { app, reached } = slowChain(log, release.promise, { store, durability: "step" });
    const former = rejectedBy(app.invoke("a", { checkpointId: "id" }));
    await reached;
    const asks = orderChain({}, { store, durability: "step" });
    const force = { checkpointId: "id", forceNewRun: true, takeover: true };
    const { id } = await questionOf(asks.invoke("b", force));
    release.open();
    expect(await former).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(log).toEqual(["slow"]);
    expect(await asks.resume("id", { [id]: "c" })).toBe("b>c.");
  });

  it("does not say that it waits when it could not save that (durability exit)", async () => {
    const store = memoryStore();
    const [release, reached] = [gate(), gate()];
    const on = (node: string) => {
      if (node !== "first") return;
      reached.open();
      return release.promise;
    };
    const former = rejectedBy(orderChain({ on }, { store }).invoke("a", { checkpointId: "id" }));
    await reached.promise;
    const other = orderChain({}, { store });
    const force = { checkpointId: "id", forceNewRun: true, takeover: true };
    const { id } = await questionOf(other.invoke("b", force));
    release.open();
    expect(await former).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(await other.resume("id", { [id]: "c" })).toBe("b>c.");
  });

  it.each(durabilities)("does not remove the checkpoint of the new owner (durability %s)", async (durability) => {
    const store = memoryStore();
    const [release, reached] = [gate(), gate()];
    const wait = async (text: string) => {
      reached.open();
      await release.promise;
      return text;
    };
    const former = new Chain<string>().append(wait).compile({ store, durability });
    const run = former.invoke("a", { checkpointId: "id" }).catch(() => undefined);
    await reached.promise;
    const other = orderChain({}, { store, durability });
    const force = { checkpointId: "id", forceNewRun: true, takeover: true };
    const { id } = await questionOf(other.invoke("b", force));
    release.open();
    await run;
    expect(await other.resume("id", { [id]: "c" })).toBe("b>c.");
  });

  it("cannot bring the checkpoint back after the new owner is done", async () => {
    const store = watchedStore();
    const release = gate();
    const { app, reached } = slowChain([], release.promise, { store, durability: "step" });
    const former = rejectedBy(app.invoke("a", { checkpointId: "id" }));
    await reached;
    const { app: other } = slowChain([], Promise.resolve(), { store, durability: "step" });
    await other.resume("id", undefined, { takeover: true });
    release.open();
    await former;
    await turns();
    expect(await store.ids()).toEqual([]);
  });
});

describe("A resume that may not go on", () => {
  it("leaves the claim and the answers of the one that runs alone", async () => {
    const store = memoryStore();
    const [release, reached] = [gate(), gate()];
    const on = (node: string) => {
      if (node !== "question") return;
      reached.open();
      return release.promise;
    };
    const app = orderChain({ on }, { store, durability: "step" });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const running = app.resume("id", { [id]: "mine" });
    await reached.promise;
    await rejectedBy(app.resume("id"));
    await rejectedBy(app.resume("id", { unknown: 1 }));
    release.open();
    expect(await running).toBe("a>mine.");
  });

  it("does not keep the claim when its answer is refused", async () => {
    const app = orderChain({}, { store: memoryStore() });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect((await errorOf(app.resume("id", { unknown: 1 }))).code).toBe("UNKNOWN_INTERRUPT");
    await interruptOf(app.resume("id"));
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });
});
