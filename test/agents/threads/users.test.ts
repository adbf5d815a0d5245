import { type CheckpointStore, createTool, memoryStore, textOf, userMessage } from "kumiko";
import { createAgent, type ThreadInfo, type Threads, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf, weatherCall, weatherTool } from "../agents.js";

async function listed(from: Threads, options?: Parameters<Threads["list"]>[0]): Promise<ThreadInfo[]> {
  const all: ThreadInfo[] = [];
  for await (const info of from.list(options)) all.push(info);
  return all;
}
const idsOf = async (from: Threads, options?: Parameters<Threads["list"]>[0]): Promise<string[]> =>
  (await listed(from, options)).map(({ id }) => id);

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

describe.each(Object.entries(stores))("threads of users, in %s", (_name, makeStore) => {
  it("belong to the user of their first turn, and are not there for others", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("a", "b", "c"), store });
    await agent.generate("Hi", { threadId: "t", userId: "ann" });
    await agent.generate("Again", { threadId: "t", userId: "ann" });
    await agent.generate("Support here", { threadId: "t" });
    for (const ask of [
      () => agent.generate("Hi", { threadId: "t", userId: "bob" }),
      () => agent.resume({ threadId: "t" }, {}, { userId: "bob" }),
      () => agent.stream("Hi", { threadId: "t", userId: "bob" }).result,
      () => threads(store, { userId: "bob" }).append("t", [userMessage("x")]),
    ]) {
      expect((await failureOf(ask())).code).toBe("THREAD_OF_OTHER_USER");
    }
    const bobs = threads(store, { userId: "bob" });
    expect(await bobs.messages("t")).toEqual([]);
    expect(await bobs.info("t")).toBeUndefined();
    for await (const turn of bobs.turns("t")) expect.unreachable(`turn ${turn.number}`);
    expect(await bobs.stop("t")).toBe(false);
    await bobs.delete("t");
    for (const change of [
      () => bobs.truncate("t", 1),
      () => bobs.fork("t"),
      () => bobs.update("t", { metadata: {} }),
    ]) {
      expect((await failureOf(change())).code).toBe("UNKNOWN_CHECKPOINT");
    }
    for (const own of [threads(store), threads(store, { userId: "ann" })]) {
      expect((await own.messages("t")).map(textOf)).toEqual(["Hi", "a", "Again", "b", "Support here", "c"]);
      expect(await own.info("t")).toMatchObject({ id: "t", userId: "ann", turns: 3, interrupts: [], metadata: {} });
    }
  });

  it("have no user until they are given one", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("a", "b"), store });
    await agent.generate("Hi", { threadId: "t" });
    expect((await failureOf(agent.generate("Hi", { threadId: "t", userId: "ann" }))).code).toBe("THREAD_OF_OTHER_USER");
    expect(await idsOf(threads(store), { userId: "ann" })).toEqual([]);
    await threads(store).update("t", { userId: "ann", metadata: { title: "First" } });
    await agent.generate("Hi", { threadId: "t", userId: "ann" });
    expect(await listed(threads(store, { userId: "ann" }))).toMatchObject([
      { id: "t", userId: "ann", turns: 2, metadata: { title: "First" } },
    ]);
    await threads(store).update("t", { userId: "bob" });
    expect(await idsOf(threads(store), { userId: "ann" })).toEqual([]);
    expect(await listed(threads(store), { userId: "bob" })).toMatchObject([{ id: "t", metadata: { title: "First" } }]);
  });

  it("keep their user when their first turn is replaced, and in copies", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("a", "b", "c"), store, history: true });
    await agent.generate(userMessage("1", { id: "p1" }), { threadId: "t", userId: "ann", requestId: "r" });
    await agent.generate("2", { threadId: "t", userId: "ann" });
    await agent.generate("3", { threadId: "t", userId: "ann", replaces: "p1" });
    expect(await threads(store).info("t")).toMatchObject({ userId: "ann", turns: 1 });
    const copy = await threads(store, { userId: "ann" }).fork("t");
    const run = await agent.fork({ threadId: "t" });
    expect((await idsOf(threads(store), { userId: "ann" })).toSorted()).toEqual(["t", copy, run.threadId].toSorted());
    for (const id of [copy, run.threadId ?? ""]) {
      for await (const turn of threads(store).turns(id)) expect(turn.requestId).toBeUndefined();
    }
  });

  it("are listed with the newest first, others by their ids", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("1", "2", "3", "4", "5"), store });
    const at = (id: string, userId?: string) =>
      agent.generate("Hi", { threadId: id, ...(userId !== undefined && { userId }) });
    const later = () => new Promise((resolve) => setTimeout(resolve, 2));
    await at("c", "ann");
    await later();
    await at("a", "ann");
    await later();
    await at("b", "bob");
    await later();
    await at("d");
    await later();
    await at("c", "ann");
    expect(await idsOf(threads(store), { userId: "ann" })).toEqual(["c", "a"]);
    expect(await idsOf(threads(store, { userId: "ann" }), { prefix: "a" })).toEqual(["a"]);
    expect(await idsOf(threads(store))).toEqual(["a", "b", "c", "d"]);
  });

  it("that wait are an inbox", async () => {
    const store = makeStore();
    const { tool } = weatherTool({ requireApproval: true });
    const asking = [weatherCall("1", "Kyoto")];
    const agent = createAgent({ model: scriptedModel(asking, asking, asking, "Warm."), tools: [tool], store });
    await agent.generate("1", { threadId: "b", userId: "ann" });
    await agent.generate("2", { threadId: "a" });
    await agent.generate("3", { threadId: "c", userId: "bob" });
    expect(await idsOf(threads(store), { waiting: true })).toEqual(["a", "b", "c"]);
    const [inbox] = await listed(threads(store, { userId: "ann" }), { waiting: true });
    expect(inbox?.id).toBe("b");
    await agent.resume({ threadId: "b" }, { [inbox?.interrupts[0]?.id ?? ""]: { approved: true } }, { userId: "ann" });
    expect(await idsOf(threads(store), { waiting: true })).toEqual(["a", "c"]);
    expect(await threads(store).stop("a")).toBe(true);
    expect(await threads(store).stop("a")).toBe(false);
    await threads(store).update("c", { userId: "ann" });
    expect(await idsOf(threads(store), { waiting: true, userId: "ann" })).toEqual(["c"]);
    expect(await idsOf(threads(store), { waiting: true, userId: "bob" })).toEqual([]);
  });

  it("of one user leave nothing behind, and what runs is stopped", async () => {
    const store = makeStore();
    let isStopped = false;
    const wait = createTool({
      id: "wait",
      description: "Waits.",
      inputSchema: z.object({}),
      execute: (_input, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            isStopped = true;
            reject(signal.reason);
          });
        }),
    });
    const { tool } = weatherTool({ requireApproval: true });
    const model = scriptedModel("a", [weatherCall("1", "Kyoto")], "b", [call("2", "wait")]);
    const agent = createAgent({ model, tools: [tool, wait], store });
    await agent.generate("1", { threadId: "done", userId: "ann" });
    await agent.generate("2", { threadId: "waits", userId: "ann" });
    await agent.generate("3", { threadId: "other", userId: "bob" });
    const running = failureOf(agent.generate("4", { threadId: "runs", userId: "ann" }));
    await expect.poll(() => model.calls.length).toBe(4);
    await threads(store, { userId: "ann" }).deleteUser("ann");
    expect(isStopped).toBe(true);
    await running;
    const left: string[] = [];
    for await (const key of store.list("~")) left.push(key);
    expect(left.filter((key) => !key.includes("other"))).toEqual([]);
    expect(await idsOf(threads(store))).toEqual(["other"]);
  });
});

describe("a user", () => {
  it("is known to functions, tools and inner agents, and to a run that is resumed", async () => {
    const seen: (string | number | undefined)[] = [];
    const note = createTool({
      id: "note",
      description: "Notes who asks.",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: (_input, { agent }) => {
        seen.push(`tool ${agent?.userId}`);
        return "noted";
      },
    });
    const inner = createAgent({
      name: "inner",
      description: "Helps.",
      model: scriptedModel([call("i", "note")], "done"),
      instructions: ({ userId }) => {
        seen.push(`inner ${userId}`);
        return "Help.";
      },
      tools: [note],
    });
    const agent = createAgent({
      model: scriptedModel([call("1", "inner", { prompt: "go" })], "Done."),
      instructions: ({ userId, turn }) => {
        seen.push(`outer ${userId} ${turn}`);
        return "Answer.";
      },
      tools: [inner.asTool()],
      store: memoryStore(),
    });
    const waiting = await agent.generate("Hi", { threadId: "t", userId: "ann" });
    if (waiting.finishReason !== "waiting") expect.unreachable();
    else await agent.resume({ threadId: "t" }, { [waiting.interrupts[0].id]: { approved: true } });
    expect(new Set(seen)).toEqual(new Set(["outer ann 1", "inner ann", "tool ann"]));
  });

  it("of a run without a thread is kept, and no other one may resume it", async () => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const users: (string | undefined)[] = [];
    const instructions = ({ userId }: { readonly userId?: string | undefined }) => {
      users.push(userId);
      return "x";
    };
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const agent = createAgent({ model, tools: [tool], store: memoryStore(), instructions });
    const waiting = await agent.generate("Hi", { userId: "ann" });
    if (waiting.finishReason !== "waiting") return expect.unreachable();
    const answers = { [waiting.interrupts[0].id]: { approved: true } };
    expect((await failureOf(agent.resume(waiting, answers, { userId: "bob" }))).code).toBe("THREAD_OF_OTHER_USER");
    expect(ran).toEqual([]);
    expect((await agent.resume(waiting, answers)).text).toBe("Warm.");
    expect(new Set(users)).toEqual(new Set(["ann"]));
  });

  it("that is there must be one: a failed login opens nothing", async () => {
    const store = memoryStore();
    const model = scriptedModel();
    const agent = createAgent({ model, store });
    for (const userId of [undefined, "", 5, null, "ü".repeat(100), "\ud800"] as never[]) {
      for (const ask of [
        async () => threads(store, { userId }),
        async () => listed(threads(store), { userId }),
        async () => threads(store).deleteUser(userId),
        async () => agent.generate("Hi", { threadId: "t", userId }),
        async () => agent.generate("Hi", { userId }),
        async () => agent.resume({ threadId: "t" }, {}, { userId }),
        async () => {
          await threads(store).append("u", [userMessage("x")]);
          return threads(store).update("u", { userId });
        },
      ]) {
        expect((await failureOf(ask())).code, String(userId)).toBe("INVALID_OPTION");
      }
    }
    expect(model.calls).toEqual([]);
  });

  it("is the same in threads and in what they are asked for", async () => {
    const own = threads(memoryStore(), { userId: "ann" });
    for (const ask of [
      async () => listed(own, { userId: "bob" }),
      async () => own.deleteUser("bob"),
      async () => own.update("t", { userId: "bob" }),
    ]) {
      expect((await failureOf(ask())).code).toBe("INVALID_OPTION");
    }
    expect(await listed(own, { userId: "ann" })).toEqual([]);
  });

  it("with a long id has keys that fit", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel("a", "b"), store });
    const [one, other] = [`${"u".repeat(255)}1`, `${"u".repeat(255)}2`];
    const id = "t".repeat(256);
    await agent.generate("Hi", { threadId: id, userId: one });
    await agent.generate("Hi", { threadId: "t", userId: other });
    for await (const key of store.list("~")) expect(key.length).toBeLessThanOrEqual(512);
    expect(await idsOf(threads(store), { userId: one })).toEqual([id]);
    expect(await idsOf(threads(store), { userId: other })).toEqual(["t"]);
    await threads(store).deleteUser(one);
    expect(await idsOf(threads(store), { userId: other })).toEqual(["t"]);
  });
});

describe("sweep", () => {
  it("removes what has not changed for so long, what waits only where that is said, and never what runs", async () => {
    const store = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    let finish = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const hang = createTool({
      id: "hang",
      description: "Hangs.",
      inputSchema: z.object({}),
      execute: async () => {
        await open;
        return "over";
      },
    });
    const model = scriptedModel("a", [weatherCall("1", "Kyoto")], [call("2", "hang")], "end");
    const agent = createAgent({ model, tools: [tool, hang], store });
    const all = threads(store);
    await agent.generate("1", { threadId: "done", userId: "ann" });
    await agent.generate("2", { threadId: "waits" });
    const running = agent.generate("3", { threadId: "runs" });
    await expect.poll(() => model.calls.length).toBe(3);
    expect(await all.sweep({ doneMs: 60_000, waitingMs: 60_000 })).toBe(0);
    expect(await threads(store, { userId: "bob" }).sweep({ doneMs: 0 })).toBe(0);
    expect(await all.sweep({ doneMs: 0 })).toBe(1);
    expect(await idsOf(all)).toEqual(["runs", "waits"]);
    expect(await all.sweep({ doneMs: 0, waitingMs: 0 })).toBe(1);
    finish();
    expect((await running).text).toBe("end");
    expect(await all.sweep({ doneMs: 0 })).toBe(1);
    const left: string[] = [];
    for await (const key of store.list("~")) left.push(key);
    expect(left).toEqual([]);
    for (const wrong of [{}, { doneMs: -1 }, { doneMs: Number.NaN }, { doneMs: 0, waitingMs: "1" }]) {
      expect((await failureOf(all.sweep(wrong as never))).code).toBe("INVALID_OPTION");
    }
  });
});

describe("a thread whose process died before its first turn", () => {
  it("is in no list, and a sweep removes what it left", async () => {
    const inner = memoryStore();
    let isDead = false;
    const store: CheckpointStore = {
      get: (id) => inner.get(id),
      put: (id, data, ifVersion) => {
        isDead ||= id.startsWith("~thread/copy/");
        return isDead ? Promise.reject(new Error("dead")) : inner.put(id, data, ifVersion);
      },
      delete: (id, ifVersion) => (isDead ? Promise.reject(new Error("dead")) : inner.delete(id, ifVersion)),
      list: (prefix) => inner.list(prefix),
    };
    await createAgent({ model: scriptedModel("a"), store: inner }).generate("Hi", { threadId: "t", userId: "ann" });
    await failureOf(threads(store).fork("t", { to: "copy" }));
    const all = threads(inner);
    expect(await idsOf(all)).toEqual(["t"]);
    expect(await idsOf(all, { userId: "ann" })).toEqual(["t"]);
    const left = async () => {
      const keys: string[] = [];
      for await (const key of inner.list("~threads/")) if (key.includes("copy")) keys.push(key);
      return keys;
    };
    expect((await left()).length).toBeGreaterThan(0);
    expect(await all.sweep({ doneMs: 60_000 })).toBe(0);
    expect((await left()).length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await threads(inner, { userId: "ann" }).sweep({ doneMs: 0 });
    expect(await all.sweep({ doneMs: 0 })).toBe(0);
    expect(await left()).toEqual([]);
  });
});

describe("what a list costs", () => {
  it("is the threads that it lists, and a turn costs two writes more", async () => {
    const inner = memoryStore();
    const agent = createAgent({ model: scriptedModel(...Array.from({ length: 60 }, () => "x")), store: inner });
    for (let n = 0; n < 40; n++) await agent.generate("Hi", { threadId: `a${n}`, userId: "ann" });
    await agent.generate("Hi", { threadId: "b1", userId: "bob" });
    let [keys, gets, puts] = [0, 0, 0];
    const store: CheckpointStore = {
      get: (id) => {
        gets += 1;
        return inner.get(id);
      },
      put: (id, data, ifVersion) => {
        puts += 1;
        return inner.put(id, data, ifVersion);
      },
      append: async (id, data, ifVersion) => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN,
      delete: (id, ifVersion) => inner.delete(id, ifVersion),
      async *list(prefix) {
        for await (const key of inner.list(prefix)) {
          keys += 1;
          yield key;
        }
      },
    };
    for (const query of [{ prefix: "b" }, { userId: "bob" }]) {
      [keys, gets] = [0, 0];
      expect(await idsOf(threads(store), query)).toEqual(["b1"]);
      expect([keys, gets]).toEqual([1, 1]);
    }
    const counted = createAgent({ model: scriptedModel("x"), store });
    puts = 0;
    await counted.generate("Hi", { threadId: "b1", userId: "bob" });
    // the turn as it opens, takes nothing more and ends, its run, and the head
    expect(puts).toBe(5);
  });
});
