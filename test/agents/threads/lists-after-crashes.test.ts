import { type CheckpointStore, type FunctionToolCall, memoryStore, userMessage } from "kumiko";
import { type AgentCallOptions, createAgent, type ThreadInfo, type Threads, type Turn, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { weatherCall, weatherTool } from "../agents.js";

type Death = "before it writes" | "after it has written";

/** A store that is gone from one write on, as it is for a process that dies. */
function mortalStore(inner: CheckpointStore, death: Death) {
  let left = Number.POSITIVE_INFINITY;
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return work();
    if (left === 0 && death === "after it has written") await work();
    throw new Error("The process is dead.");
  };
  const store: CheckpointStore = {
    get: (id) => (left <= 0 ? Promise.reject(new Error("The process is dead.")) : inner.get(id)),
    put: (id, data, ifVersion) => write(() => inner.put(id, data, ifVersion)),
    append: (id, data, ifVersion) => write(async () => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN),
    delete: (id, ifVersion) => write(() => inner.delete(id, ifVersion)),
    list: (prefix) => inner.list(prefix),
  };
  return {
    store,
    dieAt(number: number) {
      left = number;
    },
    isDead: () => left <= 0,
  };
}

const { tool } = weatherTool({ requireApproval: true });
const asking = [weatherCall("1", "Kyoto")];

function agentOn(store: CheckpointStore, ...answers: (string | FunctionToolCall[])[]) {
  return createAgent({ model: scriptedModel(...answers), tools: [tool], store });
}

interface Scenario {
  readonly before?: (store: CheckpointStore) => Promise<unknown>;
  readonly work: (store: CheckpointStore) => Promise<unknown>;
}

const ann = { threadId: "t", userId: "ann" } satisfies AgentCallOptions;
const question = async (store: CheckpointStore): Promise<string> =>
  (await threads(store).info("t"))?.interrupts[0]?.id ?? "";
const three = async (store: CheckpointStore): Promise<void> => {
  const agent = agentOn(store, "a", "b", "c");
  for (const [index, prompt] of ["1", "2", "3"].entries()) {
    await agent.generate(userMessage(prompt, { id: `p${index}` }), ann);
  }
};

const scenarios: Record<string, Scenario> = {
  "a first turn": { work: (store) => agentOn(store, "a").generate("Hi", ann) },
  "a first turn that asks": { work: (store) => agentOn(store, asking).generate("Hi", ann) },
  "a later turn that asks": {
    before: (store) => agentOn(store, "a").generate("Hi", ann),
    work: (store) => agentOn(store, asking).generate("Pay", ann),
  },
  "an answer": {
    before: (store) => agentOn(store, asking).generate("Hi", ann),
    work: async (store) =>
      agentOn(store, "Warm.").resume({ threadId: "t" }, { [await question(store)]: { approved: true } }),
  },
  "a turn after a question that is closed": {
    before: (store) => agentOn(store, asking).generate("Hi", ann),
    work: (store) => agentOn(store, "a").generate("Never mind", { ...ann, onWaiting: "close" }),
  },
  "a first turn without a user": { work: (store) => agentOn(store, asking).generate("Hi", { threadId: "t" }) },
  "a replaced turn": { before: three, work: (store) => agentOn(store, "x").generate("2", { ...ann, replaces: "p1" }) },
  "a replaced turn that asks": {
    before: three,
    work: (store) => agentOn(store, asking).generate("2", { ...ann, replaces: "p0" }),
  },
  "a truncation": { before: three, work: (store) => threads(store).truncate("t", 1) },
  "a truncation to nothing": { before: three, work: (store) => threads(store).truncate("t", 0) },
  "a deletion": { before: three, work: (store) => threads(store).delete("t") },
  "a deletion of what waits": {
    before: (store) => agentOn(store, asking).generate("Hi", ann),
    work: (store) => threads(store).delete("t"),
  },
  "a deletion of a user": { before: three, work: (store) => threads(store).deleteUser("ann") },
  "another user": { before: three, work: (store) => threads(store).update("t", { userId: "bob" }) },
  "another user of what waits": {
    before: (store) => agentOn(store, asking).generate("Hi", { threadId: "t" }),
    work: (store) => threads(store).update("t", { userId: "bob", metadata: { title: "x" } }),
  },
  "a stop of what waits": {
    before: (store) => agentOn(store, asking).generate("Hi", ann),
    work: (store) => threads(store).stop("t"),
  },
  "a copy": { before: three, work: (store) => threads(store).fork("t", { to: "copy" }) },
  "messages that are added": { work: (store) => threads(store, { userId: "ann" }).append("t", [userMessage("x")]) },
  "a sweep": { before: three, work: (store) => threads(store).sweep({ doneMs: 0 }) },
};

async function listed(from: Threads, options?: Parameters<Threads["list"]>[0]): Promise<ThreadInfo[]> {
  const all: ThreadInfo[] = [];
  for await (const info of from.list(options)) all.push(info);
  return all;
}

/** Lists must show what the turns say: nothing that is not there, and all that is. */
async function expectHonestLists(store: CheckpointStore, where: string): Promise<void> {
  const all = threads(store);
  const ids: string[] = [];
  for await (const key of store.list("~thread/")) {
    const [, id] = /^~thread\/([^/]+)\/\d{8}$/.exec(key) ?? [];
    if (id !== undefined && !ids.includes(id)) ids.push(id);
  }
  const real: { readonly id: string; readonly userId: string | undefined; readonly waits: boolean }[] = [];
  for (const id of ids) {
    const turns: Turn[] = [];
    for await (const turn of all.turns(id)) turns.push(turn);
    const info = await all.info(id);
    expect(info?.turns, where).toBe(turns.at(-1)?.number);
    const waits = turns.at(-1)?.status === "waiting";
    expect(info?.interrupts, where).toEqual(waits ? turns.at(-1)?.interrupts : []);
    real.push({ id, userId: info?.userId, waits });
  }
  const idsOf = (infos: readonly { readonly id: string }[]) => infos.map(({ id }) => id).toSorted();
  expect(idsOf(await listed(all)), where).toEqual(idsOf(real));
  const asking = (await listed(all)).filter(({ interrupts }) => interrupts.length > 0);
  expect(idsOf(asking), where).toEqual(idsOf(real.filter(({ waits }) => waits)));
  expect(idsOf(await listed(all, { waiting: true })), where).toEqual(idsOf(real.filter(({ waits }) => waits)));
  for (const userId of ["ann", "bob"]) {
    const own = real.filter((thread) => thread.userId === userId);
    expect(idsOf(await listed(all, { userId })), where).toEqual(idsOf(own));
    const waiting = await listed(all, { userId, waiting: true });
    expect(idsOf(waiting), where).toEqual(idsOf(own.filter(({ waits }) => waits)));
  }
}

beforeEach(() => {
  // runs report that they could not be saved
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(scenarios))("%s, in a process that dies", (_name, { before, work }) => {
  it.each(["before it writes", "after it has written"] as const)("%s", async (death) => {
    let writes = 0;
    for (let number = 1; ; number++) {
      const inner = memoryStore();
      await before?.(inner);
      const { store, dieAt, isDead } = mortalStore(inner, death);
      dieAt(number);
      await Promise.resolve(work(store)).catch(() => undefined);
      if (!isDead()) break;
      writes = number;
      const where = `write ${number}`;
      await expectHonestLists(inner, where);
      // whatever was left, the thread goes on, for whom it belongs to
      const info = await threads(inner).info("t");
      const options = info?.userId === undefined ? { threadId: "t" } : { threadId: "t", userId: info.userId };
      const next = await agentOn(inner, "Next.").generate("Next?", { ...options, onWaiting: "close", takeover: true });
      expect(next.text, where).toBe("Next.");
      await expectHonestLists(inner, `after ${where}`);
    }
    expect(writes).toBeGreaterThan(1);
  });
});
