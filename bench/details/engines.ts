// What engines cost, per run of 8 trivial nodes saved in PostgreSQL, 1,000 runs with a concurrency of 10:
// KUMIKO_BENCH_POSTGRES=postgres://… KUMIKO_BENCH_REDIS=6379 node bench/start.mjs bench/details/engines.ts
//
// `segment` in a loop is what each of them is compared with. Tables of the runs are dropped at the end, those of DBOS and of BullMQ
// stay.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Queue, Worker } from "bullmq";
import { Chain } from "kumiko";
import { processor } from "kumiko/bullmq";
import { runs, startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import pg from "pg";

const count = Number(process.env.KUMIKO_BENCH_RUNS ?? 1_000);
const concurrency = 10;
const nodes = 8;
const url = process.env.KUMIKO_BENCH_POSTGRES ?? "";
const redisPort = Number(process.env.KUMIKO_BENCH_REDIS ?? 0);
const table = `bench_engines_${process.pid}`;
const pool = new pg.Pool({ connectionString: url, max: 20 });
const store = postgresStore({ pool }, { table });
const round = `${process.pid}-${Date.now()}`;

const next = (value: number): number => value + 1;
const order = new Chain<number>()
  .append(next)
  .append(next)
  .append(next)
  .append(next)
  .append(next)
  .append(next)
  .append(next)
  .append(next)
  .compile({ name: "order", store, durability: "step" });

async function inLoop(one: (n: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let begun = 0;
  const work = async () => {
    while (begun < count) await one(begun++);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return (performance.now() - started) / count;
}

const id = (kind: string, n: number) => `${round}-${kind}-${n}`;

/** How long it takes until all runs are done that were enqueued before. */
async function ownWorker(kind: string): Promise<number> {
  for (let n = 0; n < count; n++) await runs(store).enqueue("order", n, { id: id(kind, n) });
  const started = performance.now();
  const worker = startWorker({ order }, { concurrency });
  await worker.idle();
  const each = (performance.now() - started) / count;
  await worker.stop();
  return each;
}

async function bullmq(kind: string): Promise<number> {
  const connection = { host: "127.0.0.1", port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue(round + kind, { connection });
  await queue.addBulk(
    Array.from({ length: count }, (_, n) => ({ name: "order", data: { id: id(kind, n), input: n } })),
  );
  const started = performance.now();
  const worker = new Worker(queue.name, processor({ order }), { connection, concurrency });
  let left = count;
  await new Promise<void>((resolve, reject) => {
    worker.on("failed", (_job, error) => reject(error));
    worker.on("completed", () => {
      if (--left === 0) resolve();
    });
  });
  const each = (performance.now() - started) / count;
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return each;
}

const segmentWorkflow = DBOS.registerWorkflow(
  (input: number) => DBOS.runStep(() => statusOf(DBOS.workflowID ?? "", input), { name: "segment-0" }),
  { name: "segment" },
);
const statusOf = async (run: string, input: number) => (await order.segment(run, { input })).status;
const stepsWorkflow = DBOS.registerWorkflow(
  async (input: number) => {
    let value = input;
    for (let n = 0; n < nodes; n++) value = await DBOS.runStep(async () => value + 1, { name: `n${n}` });
    return value;
  },
  { name: "steps" },
);
const inDbos = (workflow: (input: number) => Promise<unknown>, kind: string) =>
  inLoop(async (n) => (await DBOS.startWorkflow(workflow, { workflowID: id(kind, n) })(n)).getResult());

DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 20, logLevel: "error" });
await DBOS.launch();
const rows: Record<string, (kind: string) => Promise<number>> = {
  "segment in a loop": (kind) => inLoop((n) => order.segment(id(kind, n), { input: n })),
  "invoke in a loop": (kind) => inLoop((n) => order.invoke(n, { checkpointId: id(kind, n) })),
  startWorker: ownWorker,
  ...(redisPort > 0 && { BullMQ: bullmq }),
  "DBOS, a step per segment": (kind) => inDbos(segmentWorkflow, kind),
  "DBOS alone, a step per node": (kind) => inDbos(stepsWorkflow, kind),
};
const best = new Map<string, number>();
for (let turn = 0; turn < 3; turn++) {
  for (const [name, measure] of Object.entries(rows)) {
    const each = await measure(`${name.replaceAll(/\W/g, "")}-${turn}`);
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, each));
  }
}
const base = best.get("segment in a loop") ?? 1;
for (const [name, each] of best)
  console.log(`${name.padEnd(30)}${each.toFixed(2).padStart(8)} ms/run${(each / base).toFixed(2).padStart(8)} ×`);
await DBOS.shutdown();
await pool.query(`DROP TABLE IF EXISTS ${table}_entries, ${table}`);
await store.close();
await pool.end();
