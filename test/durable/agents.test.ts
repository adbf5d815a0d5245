import { type CheckpointStore, createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { runs, startWorker } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";
import { gate, turns } from "../run/gate.js";
import { all, bareStore } from "./stores.js";

const call = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });
const turn = { threadId: "t", requestId: "r1" };

function clerkOf(store: CheckpointStore, model = scriptedModel([call], "Paid.")) {
  const pay = createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => "paid",
  });
  return createAgent({ name: "clerk", store, tools: [pay], model, retry: false });
}

const statuses = async (store: ReturnType<typeof memoryStore>) =>
  (await all(threads(store).turns("t"))).map(({ status }) => status);

it("answers the question of a turn from the inbox, and a worker goes on with it", async () => {
  const store = memoryStore();
  const clerk = clerkOf(store);
  await clerk.segment(turn, { input: "Pay", userId: "u-1" });
  const [found, ...others] = await all(runs(store, { prefix: "t" }).questions());
  expect(others).toEqual([]);
  expect(found?.run).toMatchObject({ graph: "clerk", status: "waiting" });
  expect(await all(runs(store).list())).toMatchObject([{ threadId: "t", userId: "u-1" }]);
  const worker = startWorker({ clerk });
  await runs(store).answer(found?.run.id ?? "", { [found?.interrupt.id ?? ""]: { approved: true } });
  await worker.idle();
  await worker.stop();
  expect(await statuses(store)).toEqual(["done"]);
});

it("cancels the run of a turn as the thread is stopped: the turn is aborted, and the run goes", async () => {
  const store = memoryStore();
  await clerkOf(store).segment(turn, { input: "Pay" });
  const [row] = await all(runs(store).list());
  expect(await runs(store).cancel(row?.id ?? "")).toMatchObject({ status: "cancelled" });
  expect(await statuses(store)).toEqual(["aborted"]);
  expect(await all(runs(store).list())).toEqual([]);
  expect(await runs(store).sweep({ finishedMs: 0 })).toBe(0);
});

it("retries the run of a turn that has failed", async () => {
  const store = memoryStore();
  const model = scriptedModel(new Error("no"), "Hello.");
  const clerk = createAgent({ name: "clerk", store, model, retry: false });
  const failed = await clerk.segment(turn, { input: "Hi" });
  expect(failed.status).toBe("failed");
  expect(await runs(store).retry(failed.id)).toMatchObject({ status: "ready" });
  expect(await statuses(store)).toEqual(["cut_off"]);
  const worker = startWorker({ clerk });
  await worker.idle();
  await worker.stop();
  expect(await statuses(store)).toEqual(["done"]);
  expect(await runs(store).retry(failed.id)).toBeUndefined();
});

it.each([
  ["cancels", (store: CheckpointStore, id: string) => runs(store).cancel(id)],
  ["stops", (store: CheckpointStore) => threads(store).stop("t")],
])("%s a turn that runs: its segment says so, and the run goes", async (_what, stop) => {
  const store = memoryStore();
  const begun = gate();
  const model = scriptedModel((_messages, { signal }) => {
    begun.open();
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  });
  const clerk = createAgent({ name: "clerk", store, model, retry: false });
  const running = clerk.segment(turn, { input: "Hi" });
  await begun.promise;
  const [row] = await all(runs(store).list());
  await stop(store, row?.id ?? "");
  expect(await running).toMatchObject({ status: "cancelled" });
  expect(await statuses(store)).toEqual(["aborted"]);
  expect(await all(runs(store).list())).toEqual([]);
  expect(await clerk.segment(turn, { input: "Hi" })).toMatchObject({ status: "cancelled" });
});

it("lets a worker remove what is left of a turn that is over", async () => {
  const store = memoryStore();
  const clerk = clerkOf(store);
  const { id } = await clerk.segment(turn, { input: "Pay" });
  const run = await store.get(id);
  await threads(store).stop("t");
  // its process died before it had removed the run
  const ready = { status: "ready", graph: "clerk", since: 1, threadId: "t" } as const;
  const document = JSON.parse(new TextDecoder().decode(run?.data));
  const data = new TextEncoder().encode(JSON.stringify({ ...document, ...ready }));
  await store.put(id, data, undefined, ready);
  expect(await all(runs(store).list())).toHaveLength(1);
  const worker = startWorker({ clerk });
  await worker.idle();
  await worker.stop();
  expect(await all(runs(store).list())).toEqual([]);
  expect(await statuses(store)).toEqual(["aborted"]);
});

it("fails a run of an agent whose prompt is none", async () => {
  const store = memoryStore();
  const clerk = clerkOf(store);
  await runs(store).enqueue("clerk", { boxes: 5 }, { id: "1" });
  const worker = startWorker({ clerk });
  await worker.idle();
  await worker.stop();
  expect(await runs(store).get("1")).toMatchObject({ status: "failed", error: { code: "INVALID_MESSAGE" } });
});

it("leaves a turn alone that its caller just claims, though its run is still ready", async () => {
  const store = memoryStore();
  const clerk = clerkOf(store);
  const { id, interrupts } = await clerk.segment(turn, { input: "Pay" });
  await runs(store).answer(id, { [interrupts[0]?.id ?? ""]: { approved: true } });
  const claiming = gate();
  const claimed = gate();
  const slow: CheckpointStore = {
    ...bareStore(store),
    put: async (...args) => {
      if (args[0] === id) {
        claiming.open();
        await claimed.promise;
      }
      return store.put(...args);
    },
  };
  const segment = clerkOf(slow, scriptedModel("Paid.")).segment(turn);
  await claiming.promise;
  let looks = 0;
  const watched: CheckpointStore = {
    ...bareStore(store),
    runs: async (query) => {
      looks += 1;
      return (await store.runs?.(query)) ?? [];
    },
  };
  const worker = startWorker({ clerk: clerkOf(watched) });
  await turns();
  expect(looks).toBeLessThan(20);
  claimed.open();
  expect(await segment).toMatchObject({ status: "finished" });
  await worker.idle();
  await worker.stop();
  expect(await statuses(store)).toEqual(["done"]);
});
