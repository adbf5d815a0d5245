import { type CheckpointStore, createTool, memoryStore, textOf } from "kumiko";
import { type Agent, createAgent, guard, type Turn, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf } from "../agents.js";

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };
const book = createTool({
  id: "book",
  description: "Books.",
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => "ok",
});

/** Does something once, when a turn is written that runs, before whoever writes it hears of that. */
function whenItRuns(rows: CheckpointStore, work: () => Promise<unknown>): CheckpointStore {
  let isDone = false;
  return {
    get: (id) => rows.get(id),
    delete: (...args) => rows.delete(...args),
    list: (prefix) => rows.list(prefix),
    put: async (id: string, data: Uint8Array, ifVersion?: number) => {
      const version = await rows.put(id, data, ifVersion);
      const runs = /\/\d{8}$/.test(id) && new TextDecoder().decode(data).includes('"status":"open"');
      if (runs && !isDone) {
        isDone = true;
        await work();
      }
      return version;
    },
  };
}

async function firstTurn(rows: CheckpointStore): Promise<Turn | undefined> {
  for await (const turn of threads(rows).turns("t")) return turn;
  return undefined;
}

/** How a turn goes on, and does not. */
const refusals = {
  "its answer does not fit": (agent: Agent) => agent.resume({ threadId: "t" }, { nobody: 1 }),
  "it is stopped at once": (agent: Agent, stop: AbortController) =>
    agent.resume({ threadId: "t" }, undefined, { signal: stop.signal }),
};

describe.each(Object.entries(stores))("what is pushed to a turn, in %s,", (_name, makeStore) => {
  const guards = { none: [], some: [guard({ name: "any", input: () => undefined })] };
  const table = Object.entries(refusals).flatMap(([refusal, resume]) =>
    (["waited", "failed", "had not begun"] as const).flatMap((was) =>
      Object.entries(guards).map(([guarded, middleware]) => ({ refusal, resume, was, guarded, middleware })),
    ),
  );

  it.each(table)("that $was, goes on, and is as it was since $refusal, is heard (guards: $guarded)", async (row) => {
    const { was, resume, middleware } = row;
    const rows = makeStore();
    const make = (store: CheckpointStore, ...script: ScriptEntry[]) =>
      createAgent({ model: scriptedModel(...script), store, tools: [book], middleware, retry: false });
    const begun = new AbortController();
    if (was === "waited") await make(rows, [call("1", "book")]).generate("a", { threadId: "t" });
    if (was === "failed") await failureOf(make(rows, new Error("gone")).generate("a", { threadId: "t" }));
    if (was === "had not begun") {
      const store = whenItRuns(rows, async () => begun.abort());
      await failureOf(make(store, "never").generate("a", { threadId: "t", signal: begun.signal }));
    }
    const stop = new AbortController();
    const store = whenItRuns(rows, async () => {
      expect(await threads(rows).push("t", "b")).toBe(true);
      stop.abort();
    });
    await failureOf(resume(make(store, new Error("still gone")), stop));
    const said = async () => (await threads(rows).messages("t")).map(textOf).filter(Boolean);
    expect(await said()).toEqual(was === "waited" ? ["a"] : ["a", "b"]);
    const turn = await firstTurn(rows);
    const answers = Object.fromEntries((turn?.interrupts ?? []).map(({ id }) => [id, { approved: true }]));
    await make(rows, "fine").resume({ threadId: "t" }, was === "waited" ? answers : undefined);
    expect(await said()).toEqual(["a", "b", "fine"]);
  });

  it("that another one has begun behind, is heard when it goes on", async () => {
    const rows = makeStore();
    const make = (store: CheckpointStore, ...script: ScriptEntry[]) =>
      createAgent({ model: scriptedModel(...script), store, tools: [book], retry: false });
    await make(rows, [call("1", "book")]).generate("a", { threadId: "t" });
    const stored = whenItRuns(rows, () => threads(rows).push("t", "b"));
    let isPushed = false;
    const store: CheckpointStore = {
      ...stored,
      get: async (id: string) => {
        const row = await rows.get(id);
        if (id.startsWith("~threads/") && isPushed) throw new Error("The store is away.");
        return row;
      },
      put: async (...args: Parameters<CheckpointStore["put"]>) => {
        const version = await stored.put(...args);
        isPushed = /\/\d{8}$/.test(args[0]);
        return version;
      },
    };
    await failureOf(make(store, "never").resume({ threadId: "t" }));
    const turn = await firstTurn(rows);
    expect(turn?.status).toBe("waiting");
    const answers = Object.fromEntries((turn?.interrupts ?? []).map(({ id }) => [id, { approved: true }]));
    const { messages } = await make(rows, "fine").resume({ threadId: "t" }, answers);
    expect(messages.map(textOf).filter(Boolean)).toEqual(["a", "b", "fine"]);
  });
});
