import { type CheckpointStore, createTool, memoryStore, textOf, userMessage } from "kumiko";
import { createAgent, type Threads, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf, weatherCall, weatherTool } from "../agents.js";

type Write = "put" | "delete";

/** A process that stops at one write, before or after it, until it may go on: what others do meanwhile it has not seen. */
function slowStore(inner: CheckpointStore, isThere: (kind: Write, key: string, data: string) => boolean) {
  let [arrive, go] = [(): void => undefined, (): void => undefined];
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const mayGo = new Promise<void>((resolve) => {
    go = resolve;
  });
  let hasStopped = false;
  const wait = async (kind: Write, key: string, data: Uint8Array = new Uint8Array()): Promise<void> => {
    if (hasStopped || !isThere(kind, key, new TextDecoder().decode(data))) return;
    hasStopped = true;
    arrive();
    await mayGo;
  };
  const store: CheckpointStore = {
    get: (id) => inner.get(id),
    put: async (id, data, ifVersion) => {
      await wait("put", id, data);
      return inner.put(id, data, ifVersion);
    },
    append: async (id, data, ifVersion) => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN,
    delete: async (id, ifVersion) => {
      await wait("delete", id);
      return inner.delete(id, ifVersion);
    },
    list: (prefix) => inner.list(prefix),
  };
  return { store, arrived, go };
}

const bound = (inner: CheckpointStore): CheckpointStore => ({
  get: (id) => inner.get(id),
  put: (id, data, ifVersion) => inner.put(id, data, ifVersion),
  delete: (id, ifVersion) => inner.delete(id, ifVersion),
  list: (prefix) => inner.list(prefix),
});

const agentOn = (store: CheckpointStore, ...answers: readonly (string | Error)[]) =>
  createAgent({ model: scriptedModel(...answers), store });
const isTurn = (number: number) => (kind: Write, key: string) => kind === "put" && key === `~thread/t/0000000${number}`;
const ann = { threadId: "t", userId: "ann" };

async function three(): Promise<CheckpointStore> {
  const store = memoryStore();
  const agent = agentOn(store, "a", "b", "c");
  for (const prompt of ["1", "2", "3"]) await agent.generate(userMessage(prompt, { id: `p${prompt}` }), ann);
  return store;
}

async function told(store: CheckpointStore): Promise<string[]> {
  const all: string[] = [];
  for await (const { number, status, messages } of threads(store).turns("t"))
    all.push(`${number} ${status} ${messages.map(textOf).join(" ")}`);
  return all;
}

async function idsOf(from: Threads, options?: Parameters<Threads["list"]>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of from.list(options)) ids.push(id);
  return ids;
}

async function keysOf(store: CheckpointStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list("~")) keys.push(key);
  return keys;
}

describe("a turn that is written when the thread it was begun for is no more", () => {
  const meanwhile: Record<string, [(store: CheckpointStore) => Promise<unknown>, string[]]> = {
    "is cut": [(store) => threads(store).truncate("t", 1), ["1 done 1 a", "2 done 4 d"]],
    "is deleted": [(store) => threads(store).delete("t"), ["1 done 4 d"]],
    "belongs to a user who is deleted": [(store) => threads(store).deleteUser("ann"), ["1 done 4 d"]],
    "is swept": [(store) => threads(store).sweep({ doneMs: 0 }), ["1 done 4 d"]],
    "has another branch": [
      async (store) => {
        const agent = agentOn(store, "x", "y", "z");
        await agent.generate("X", { ...ann, replaces: "p1" });
        await agent.generate("Y", ann);
      },
      ["1 done X x", "2 done Y y", "3 done 4 d"],
    ],
    "has another branch of the same length": [
      async (store) => {
        const agent = agentOn(store, "x", "y", "z");
        await agent.generate("X", { ...ann, replaces: "p1" });
        await agent.generate("Y", ann);
        await agent.generate("Z", ann);
      },
      ["1 done X x", "2 done Y y", "3 done Z z", "4 done 4 d"],
    ],
  };

  it.each(Object.entries(meanwhile))("since it %s, goes on from what is there", async (_name, [work, after]) => {
    const inner = await three();
    const { store, arrived, go } = slowStore(inner, isTurn(4));
    const model = scriptedModel("d");
    const late = createAgent({ model, store }).generate("4", ann);
    await arrived;
    await work(inner);
    go();
    expect((await late).text).toBe("d");
    expect(await told(inner)).toEqual(after);
    // "<number> <status> <texts>" of the turns before
    const seen = after.flatMap((turn) => turn.split(" ").slice(2));
    expect(model.calls[0]?.messages.map(textOf)).toEqual(seen.slice(0, -1));
    for (const options of [{}, { userId: "ann" }]) expect(await idsOf(threads(inner), options)).toEqual(["t"]);
    await threads(inner).delete("t");
    expect(await keysOf(inner)).toEqual([]);
  });

  it.each(Object.entries(meanwhile))(
    "since it %s, is not there although its process dies then",
    async (_name, [work, after]) => {
      const inner = await three();
      const { store, arrived, go } = slowStore(inner, isTurn(4));
      // nothing reaches the store any more once the turn is written
      let isDead = false;
      const dying: CheckpointStore = {
        ...store,
        get: (id) => (isDead ? new Promise(() => undefined) : store.get(id)),
        put: async (id, data, ifVersion) => {
          const version = await store.put(id, data, ifVersion);
          if (id !== "~thread/t/00000004") return version;
          isDead = true;
          return new Promise(() => undefined);
        },
        isOwnerAlive: async () => false,
      };
      void agentOn(dying, "d").generate("4", ann);
      await arrived;
      await work(inner);
      go();
      await expect.poll(() => isDead).toBe(true);
      const before = after.slice(0, -1);
      expect(await told(inner)).toEqual(before);
      expect(await idsOf(threads(inner), { userId: "ann" })).toEqual(before.length === 0 ? [] : ["t"]);
      expect((await agentOn(inner, "d").generate("4", ann)).text).toBe("d");
      expect(await told(inner)).toEqual(after);
      await threads(inner).delete("t");
      expect(await keysOf(inner)).toEqual([]);
    },
  );

  it("is added messages, too", async () => {
    const inner = await three();
    const { store, arrived, go } = slowStore(inner, isTurn(4));
    const late = threads(store).append("t", [userMessage("4")]);
    await arrived;
    await threads(inner).truncate("t", 1);
    go();
    await late;
    expect(await told(inner)).toEqual(["1 done 1 a", "2 done 4"]);
  });
});

it("a turn that is resumed when another one has begun behind it stays as it was", async () => {
  const inner = memoryStore();
  await failureOf(agentOn(inner, new Error("down")).generate("1", ann));
  const { store, arrived, go } = slowStore(inner, isTurn(1));
  const late = failureOf(agentOn(store, "late").resume({ threadId: "t" }));
  await arrived;
  expect((await agentOn(inner, "b").generate("2", ann)).text).toBe("b");
  go();
  expect((await late).code).toBe("THREAD_BUSY");
  expect(await told(inner)).toEqual(["1 failed 1", "2 done 2 b"]);
});

it("a run that a turn has left behind is not that of the next turn with its number", async () => {
  const inner = await three();
  const { tool } = weatherTool({ requireApproval: true });
  const asking = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")]), tools: [tool], store: inner });
  await asking.generate("Weather?", ann);
  const run = await inner.get("~thread/t/00000004/run");
  await threads(inner).truncate("t", 3);
  await inner.put("~thread/t/00000004/run", run?.data ?? new Uint8Array(), undefined);
  expect((await agentOn(inner, "d").generate("4", ann)).text).toBe("d");
  expect(await told(inner)).toHaveLength(4);
  await inner.put("~thread/t/00000009/run", new Uint8Array(), undefined);
  await threads(inner).delete("t");
  expect(await keysOf(inner)).toEqual([]);
});

it("the run of a turn that follows nothing goes with it", async () => {
  const inner = await three();
  const { tool } = weatherTool({ requireApproval: true });
  const asking = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")]), tools: [tool], store: inner });
  await asking.generate("Weather?", ann);
  const [row, run] = [await inner.get("~thread/t/00000004"), await inner.get("~thread/t/00000004/run")];
  await threads(inner).truncate("t", 2);
  await inner.put("~thread/t/00000004", row?.data ?? new Uint8Array(), undefined);
  await inner.put("~thread/t/00000004/run", run?.data ?? new Uint8Array(), undefined);
  expect((await agentOn(inner, "d").generate("3", ann)).text).toBe("d");
  expect((await keysOf(inner)).filter((key) => key.startsWith("~thread/t/00000004"))).toEqual([]);
});

it("the last turn of a thread is the one that turns follow, also for those who look", async () => {
  const inner = await three();
  const rows = [3, 5].map((number) => ({ key: `~thread/t/0000000${number}`, number, status: "open" }));
  const row = await inner.get("~thread/t/00000003");
  const record = JSON.parse(new TextDecoder().decode(row?.data));
  for (const { key, ...change } of rows)
    await inner.put(
      key,
      new TextEncoder().encode(JSON.stringify({ ...record, ...change })),
      (await inner.get(key))?.version,
    );
  const turns = [];
  for await (const { number, status, checkpointId } of threads(inner).turns("t"))
    turns.push({ number, status, checkpointId });
  expect(turns.at(-1)).toEqual({ number: 3, status: "cut_off", checkpointId: "~thread/t/00000003/run" });
  expect(turns).toHaveLength(3);
  expect(await threads(inner).stop("t")).toBe(true);
});

describe("what lists say of a turn that has stopped", () => {
  it("is not written for a thread that was deleted meanwhile", async () => {
    const inner = memoryStore();
    const { store, arrived, go } = slowStore(inner, (kind, key, data) => {
      return kind === "put" && key === "~threads/head/t" && data.includes('"turns":2');
    });
    const agent = agentOn(store, "a", "b");
    await agent.generate("1", ann);
    const late = agent.generate("2", ann);
    await arrived;
    await threads(inner).delete("t");
    go();
    // its answer was in the thread before
    expect((await late).text).toBe("b");
    expect(await idsOf(threads(inner))).toEqual([]);
    expect(await keysOf(inner)).toEqual([]);
  });

  it("is that it waits, although its process tells late that it had failed", async () => {
    const inner = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    await agentOn(inner, "a").generate("1", ann);
    const { store, arrived, go } = slowStore(inner, (kind, key, data) => {
      return kind === "put" && key === "~threads/head/t" && data.includes('"turns":2');
    });
    const late = failureOf(agentOn(store, new Error("down")).generate("2", ann));
    await arrived;
    const asking = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")]), tools: [tool], store: inner });
    await asking.resume({ threadId: "t" });
    go();
    await late;
    for (const userId of ["ann", undefined]) {
      const options = userId === undefined ? {} : { userId };
      expect(await idsOf(threads(inner), { ...options, waiting: true })).toEqual(["t"]);
    }
  });
});

describe("another user of a thread", () => {
  it("has it in the inbox when a turn that was running waits", async () => {
    const inner = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    const gate = slowStore(
      inner,
      (kind, key, data) => kind === "put" && data.includes('"status":"waiting"') && key.endsWith("1"),
    );
    const agent = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")]), tools: [tool], store: gate.store });
    const asking = agent.generate("1", ann);
    await gate.arrived;
    await threads(inner).update("t", { userId: "bob" });
    gate.go();
    expect((await asking).finishReason).toBe("waiting");
    expect(await idsOf(threads(inner), { userId: "bob", waiting: true })).toEqual(["t"]);
    expect(await idsOf(threads(inner), { userId: "ann" })).toEqual([]);
    await threads(inner).deleteUser("bob");
    expect(await keysOf(inner)).toEqual([]);
  });

  it("has it although it is given back and forth at once", async () => {
    const inner = await three();
    const { store, arrived, go } = slowStore(inner, (kind, key) => kind === "delete" && key === "~threads/user/ann/t");
    const late = threads(store).update("t", { userId: "bob" });
    await arrived;
    await threads(inner).update("t", { userId: "ann" });
    go();
    await late;
    expect(await idsOf(threads(inner), { userId: "ann" })).toEqual(["t"]);
    expect(await idsOf(threads(inner), { userId: "bob" })).toEqual([]);
  });
});

it("a thread is free again when somebody who held it has not gone on for long", async () => {
  const store = await three();
  const head = await store.get("~threads/head/t");
  const held = { owner: "elsewhere", claim: "1", until: Date.now() + 60_000 };
  const write = async (until: number): Promise<void> => {
    const row = { ...JSON.parse(new TextDecoder().decode(head?.data)), pending: true, held: { ...held, until } };
    const { version } = (await store.get("~threads/head/t")) ?? {};
    await store.put("~threads/head/t", new TextEncoder().encode(JSON.stringify(row)), version);
  };
  await write(Date.now() + 60_000);
  expect((await failureOf(agentOn(store, "d").generate("4", ann))).code).toBe("THREAD_BUSY");
  expect(await told(store)).toHaveLength(3);
  await write(Date.now() - 1);
  expect((await agentOn(store, "d").generate("4", ann)).text).toBe("d");
});

it("a stop that comes before the first node runs ends the turn", async () => {
  const inner = memoryStore();
  const ran: string[] = [];
  const tool = createTool({
    id: "note",
    description: "Notes.",
    inputSchema: z.object({}),
    execute: () => {
      ran.push("note");
      return "noted";
    },
  });
  const { store, arrived, go } = slowStore(inner, (kind, key) => kind === "put" && key.endsWith("/run"));
  const agent = createAgent({ model: scriptedModel([call("1", "note")], "end"), tools: [tool], store });
  const asking = failureOf(agent.generate("1", ann));
  await arrived;
  let asked = (): void => undefined;
  const hasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  // it looks whether the owner lives, and stops the turn at once
  const isOwnerAlive = async (): Promise<boolean> => {
    setImmediate(asked);
    return true;
  };
  const stopped = threads({ ...bound(inner), isOwnerAlive }).stop("t");
  await hasAsked;
  go();
  expect(await stopped).toBe(true);
  await asking;
  expect(ran).toEqual([]);
  expect(await told(inner)).toEqual(["1 aborted 1"]);
});
