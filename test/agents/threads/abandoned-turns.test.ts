import { type CheckpointStore, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { runs } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { changeHead } from "../../../src/checkpoint/runs/change-head.js";
import { asksToPay, payTool } from "./clerk.js";

const turn = { threadId: "t", requestId: "r1" };
const key = "~thread/t/00000001";
const gone = { owner: "node/gone/1/x", claim: "x.1" };

function clerkOn(store: CheckpointStore) {
  const { pay } = payTool({ requireApproval: true });
  return createAgent({ name: "clerk", store, tools: [pay], model: scriptedModel([asksToPay], "Done.") });
}

/** A turn that four processes have died of in a row, and a fifth is dead. */
async function poisoned() {
  const store = watched(memoryStore(), () => undefined);
  const { id } = await clerkOn(store).segment(turn, { input: "Hi" });
  const [stored, run] = [await store.get(key), await store.get(id)];
  if (stored === undefined || run === undefined) throw new Error("Nothing is stored.");
  const record = { ...JSON.parse(Buffer.from(stored.data).toString()), ...gone, status: "open" };
  await store.put(key, Buffer.from(JSON.stringify(record)), stored.version);
  await changeHead(store, id, run, { status: "running", ...gone, attempts: 4 });
  const statuses = async () => {
    const all: string[] = [];
    for await (const { status } of threads(store).turns("t")) all.push(status);
    return all;
  };
  return { store, id, statuses };
}

/** Calls back before each write, and after each read. */
const watched = (
  store: CheckpointStore,
  before: () => unknown,
  read: (id: string) => unknown = () => undefined,
): CheckpointStore => ({
  get: async (id) => {
    const row = await store.get(id);
    await read(id);
    return row;
  },
  delete: (id, version) => store.delete(id, version),
  list: (options) => store.list(options),
  isOwnerAlive: async (owner) => owner !== gone.owner,
  runs: (query) => store.runs?.(query) ?? Promise.resolve([]),
  put: async (id, ...rest) => {
    await before();
    return store.put(id, ...rest);
  },
});

describe("A turn of which processes die", () => {
  it("is abandoned, and says so", async () => {
    const { store, id, statuses } = await poisoned();
    const run = await clerkOn(store).segment(turn);
    expect(run).toMatchObject({ status: "failed", attempts: 5, error: { code: "RUN_ABANDONED" } });
    expect(await runs(store).get(id)).toMatchObject({ status: "failed", error: { code: "RUN_ABANDONED" } });
    expect(await statuses()).toEqual(["failed"]);
  });

  it.each([1, 2])("says so to all who look, whoever looks before write %i", async (write) => {
    const { store, id, statuses } = await poisoned();
    let writes = 0;
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      if (++writes !== write) return;
      seen.push(await clerkOn(store).segment(turn));
    };
    seen.push(await clerkOn(watched(store, look)).segment(turn));
    seen.push(await clerkOn(store).segment(turn), await runs(store).get(id));
    expect(writes).toBeGreaterThanOrEqual(write);
    for (const run of seen) expect(run).toMatchObject({ status: "failed", error: { code: "RUN_ABANDONED" } });
    expect(await statuses()).toEqual(["failed"]);
  });

  it.each([1, 2])("is abandoned by the next one where who abandons it dies before write %i", async (write) => {
    const { store, id } = await poisoned();
    let writes = 0;
    const die = (): Promise<void> | undefined => (++writes >= write ? new Promise(() => {}) : undefined);
    void clerkOn(watched(store, die)).segment(turn);
    await expect.poll(() => writes).toBe(write);
    expect(await clerkOn(store).segment(turn)).toMatchObject({ status: "failed", error: { code: "RUN_ABANDONED" } });
    expect(await runs(store).get(id)).toMatchObject({ status: "failed", error: { code: "RUN_ABANDONED" } });
  });

  it("is not abandoned where another one has gone on with it since it was read", async () => {
    const { store, id, statuses } = await poisoned();
    const living = { owner: "node/there/1/x", claim: "x.2" };
    const goOn = async (read: string): Promise<void> => {
      const [stored, run] = [await store.get(key), await store.get(id)];
      if (read !== key || stored === undefined || run === undefined) return;
      const record = { ...JSON.parse(Buffer.from(stored.data).toString()), ...living };
      await store.put(key, Buffer.from(JSON.stringify(record)), stored.version);
      await changeHead(store, id, run, { ...living, attempts: 4 });
    };
    const run = await clerkOn(watched(store, () => undefined, goOn)).segment(turn, { onBusy: "return" });
    expect(run).toMatchObject({ status: "running" });
    expect(await runs(store).get(id)).toMatchObject({ status: "running", owner: living.owner });
    expect(await statuses()).toEqual(["running"]);
  });

  it.each([1, 2, 3])("is tried again, whoever looks before write %i", async (write) => {
    const { store, id, statuses } = await poisoned();
    await clerkOn(store).segment(turn);
    let writes = 0;
    const looking = async (): Promise<void> => {
      if (++writes === write) await clerkOn(store).segment(turn);
    };
    await runs(watched(store, looking)).retry(id);
    expect(writes).toBeGreaterThanOrEqual(write);
    expect(await clerkOn(store).segment(turn)).toMatchObject({ status: "waiting", interrupts: [{}] });
    expect(await statuses()).toEqual(["waiting"]);
  });
});
