import { createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { runs, startWorker } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";
import { all } from "./stores.js";

const call = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });
const turn = { threadId: "t", requestId: "r1" };

function clerkOf(store: ReturnType<typeof memoryStore>) {
  const pay = createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => "paid",
  });
  const model = scriptedModel([call], "Paid.");
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
