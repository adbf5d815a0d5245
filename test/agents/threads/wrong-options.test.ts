import { assistantMessage, type CheckpointStore, memoryStore, userMessage } from "kumiko";
import { createAgent, type ThreadInfo, type Threads, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { uiMessages } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { failureOf } from "../agents.js";

type Method = "list" | "sweep" | "update" | "info" | "stop";

const wrong: readonly (readonly [Method, readonly unknown[], code: string])[] = [
  ...[null, 1, [], { x: 1 }, { prefix: 1 }, { waiting: false }, { waiting: "yes" }, { userId: "" }].map(
    (given) => ["list", [given], "INVALID_OPTION"] as const,
  ),
  ...[undefined, null, 1, {}, [], { doneMs: -1 }, { doneMs: Number.NaN }, { doneMs: "1" }, { waitingMs: 1 }].map(
    (given) => ["sweep", [given], "INVALID_OPTION"] as const,
  ),
  ...[{ doneMs: 1, waitingMs: -1 }, { doneMs: 1, waitingMs: "x" }, { doneMs: 1, x: 1 }, { doneMs: undefined }].map(
    (given) => ["sweep", [given], "INVALID_OPTION"] as const,
  ),
  ...[undefined, null, 1, [], { metadata: 1 }, { metadata: null }, { metadata: [] }, { metadata: "x" }, { x: 1 }].map(
    (given) => ["update", ["t", given], "INVALID_OPTION"] as const,
  ),
  ["update", ["nothing", { metadata: {} }], "UNKNOWN_CHECKPOINT"],
  ...["", 1, undefined, null, "\ud800", "a".repeat(257)].flatMap((id) =>
    (["info", "stop", "update"] as const).map((method) => [method, [id, { metadata: {} }], "INVALID_KEY"] as const),
  ),
];

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

async function idsIn(of: Threads, options?: Parameters<Threads["list"]>[0]): Promise<string[]> {
  const all: ThreadInfo[] = [];
  for await (const info of of.list(options)) all.push(info);
  return all.map(({ id }) => id);
}

describe.each(Object.entries(stores))("threads in %s", (_name, makeStore) => {
  it("refuse what is wrong, and stay as they were", async () => {
    const store = makeStore();
    await createAgent({ model: scriptedModel("Hello."), store }).generate("Hi", { threadId: "t", userId: "ann" });
    const all = threads(store);
    const before = await all.info("t");
    for (const [method, given, code] of wrong) {
      const run = async (): Promise<void> => {
        const called: unknown = (all[method] as (...args: unknown[]) => unknown).apply(all, [...given]);
        if (method !== "list") await called;
        else for await (const info of called as AsyncIterable<ThreadInfo>) expect.unreachable(info.id);
      };
      expect((await failureOf(run())).code, `${method} ${JSON.stringify(given)}`).toBe(code);
    }
    for (const given of [null, 1, "x", [], { user: "ann" }]) {
      expect((await failureOf((async () => threads(store, given as never))())).code).toBe("INVALID_OPTION");
    }
    for (const last of [0, -1, 1.5, "1", Number.NaN, null]) {
      expect((await failureOf(uiMessages(all, "t", { last } as never))).code).toBe("INVALID_OPTION");
    }
    expect(await all.info("t")).toEqual(before);
    expect(await idsIn(all, { waiting: undefined, prefix: undefined })).toEqual(["t"]);
    expect([await all.info("nothing"), await all.stop("nothing"), await all.stop("t")]).toEqual([
      undefined,
      false,
      false,
    ]);
  });

  it("have ids and users with any characters", async () => {
    const store = makeStore();
    const own = threads(store, { userId: "ä/~ %" });
    const ids = ["ä/ö %~", "~x", "a b", "..", "日本", "%2F", "t/00000001"];
    for (const id of ids) {
      await own.append(id, [userMessage("Hi"), assistantMessage("Hello.")]);
      expect(await idsIn(threads(store), { prefix: id })).toEqual([id]);
      expect((await own.info(id))?.id).toBe(id);
    }
    expect((await idsIn(own)).sort()).toEqual([...ids].sort());
    for (const userId of ["ä", "ä/", "ä/~ ", "~"]) expect(await idsIn(threads(store, { userId }))).toEqual([]);
    await threads(store).deleteUser("ä/~ %");
    for await (const key of store.list("~")) expect.unreachable(key);
  });
});
