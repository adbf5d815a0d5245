// DBOS drives runs: it wakes them up after answers, deadlines and restarts. What a run has done is in the store.
// needs: PostgreSQL
// expect: Ship 20 boxes?
// expect: order-7: shipped 20 boxes
// expect: order-8: cancelled
import { setTimeout } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Chain, type Interrupt } from "kumiko";
import { runs } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";

const url = process.env.DATABASE_URL ?? "postgres://localhost/postgres";
const store = postgresStore({ connectionString: url });
const day = 24 * 60 * 60 * 1_000;

const order = new Chain<string>()
  .append(async (goods, { ask }) => ({
    goods,
    isApproved: await ask("ship", `Ship ${goods}?`, undefined, { expiresMs: 3 * day }),
  }))
  .append(({ goods, isApproved }) => (isApproved === true ? `shipped ${goods}` : "refused"))
  .compile({ name: "order", store });

// The id of the workflow is the id of the run, and its argument the input. A step is a segment: from a start or an answer to the
// next question or the end.
async function runOrder(input: string): Promise<string> {
  const id = DBOS.workflowID ?? "";
  for (let n = 0; ; n++) {
    const segment = async () => {
      const run = await order.segment(id, { input, signal: DBOS.stepStatus?.cancelSignal });
      if (run.status === "failed") throw run.error;
      const deadlines = run.interrupts.flatMap(({ expiresAt }) => expiresAt ?? []);
      return { status: run.status, lookAt: Math.min(Date.now() + day, ...deadlines) };
    };
    const { status, lookAt } = await DBOS.runStep(segment, { name: `segment-${n}` });
    if (status === "finished" || status === "cancelled") return status;
    // until an answer or a deadline; at most a day, because a message may be lost
    await DBOS.recv("news", { deadlineEpochMS: lookAt });
  }
}
const workflow = DBOS.registerWorkflow(runOrder, { name: "order" });

/** If you cannot tell whether it has worked, call it again: neither part does anything twice. */
async function answer(id: string, questionId: string, value: unknown): Promise<void> {
  await runs(store).answer(id, { [questionId]: value });
  await DBOS.send(id, "answered", "news", questionId);
}

/** `DBOS.cancelWorkflow` alone would only stop the segment. */
async function cancel(id: string): Promise<void> {
  await runs(store).cancel(id);
  await DBOS.send(id, "cancelled", "news", "cancel");
}

DBOS.setConfig({ name: "orders", systemDatabaseUrl: url, logLevel: "error" });
await DBOS.launch();
const first = await DBOS.startWorkflow(workflow, { workflowID: "order-7" })("20 boxes");
const second = await DBOS.startWorkflow(workflow, { workflowID: "order-8" })("2 tables");

const question = await questionOf("order-7");
console.log(question.info);
await answer("order-7", question.id, true);
await first.getResult();
const run = await runs(store).get("order-7");
console.log(`order-7: ${run?.status === "finished" ? run.output : run?.status}`);

await questionOf("order-8");
await cancel("order-8");
console.log(`order-8: ${await second.getResult()}`);
await DBOS.shutdown();
await store.close();

async function questionOf(id: string): Promise<Interrupt> {
  for (;;) {
    const [question] = (await runs(store).get(id))?.interrupts ?? [];
    if (question !== undefined) return question;
    await setTimeout(50);
  }
}
