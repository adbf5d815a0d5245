// What engines cost, per run of 8 trivial nodes saved in PostgreSQL, 1,000 runs with a concurrency of 10:
// KUMIKO_BENCH_POSTGRES=postgres://… KUMIKO_BENCH_REDIS=6379 node bench/start.mjs bench/peers/engines.ts
// KUMIKO_BENCH_ONLY=segment,invoke measures those whose names contain one of these.
//
// Each is compared with `segment` in a loop, in the same round; the rounds begin with another one each. Tables of the runs are
// dropped at the end, those of DBOS, of BullMQ and of LangGraph stay.
import { loadavg } from "node:os";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
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

/** What a run writes: a row, an entry for each node, and the end. */
async function statements(kind: string): Promise<number> {
  await pool.query(`CREATE TABLE ${table}_bare (id text PRIMARY KEY, data bytea, version int, status text)`);
  await pool.query(`CREATE TABLE ${table}_bare_entries (id text, n int, data bytea, PRIMARY KEY (id, n))`);
  const data = Buffer.alloc(200, 7);
  const query = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values });
  const each = await inLoop(async (n) => {
    const run = id(kind, n);
    await query("begin", `INSERT INTO ${table}_bare VALUES ($1, $2, 1, 'running')`, [run, data]);
    for (let node = 0; node < nodes; node++)
      await query("entry", `INSERT INTO ${table}_bare_entries VALUES ($1, $2, $3)`, [run, node, data]);
    await query("end", `UPDATE ${table}_bare SET status = 'finished', data = $2 WHERE id = $1`, [run, data]);
  });
  await pool.query(`DROP TABLE ${table}_bare, ${table}_bare_entries`);
  return each;
}

const saver = new PostgresSaver(pool, undefined, { schema: "public" });
await saver.setup();
const Value = Annotation.Root({ value: Annotation<number> });
const add = async ({ value }: typeof Value.State) => ({ value: value + 1 });
const peer = new StateGraph(Value)
  .addNode("n0", add)
  .addNode("n1", add)
  .addNode("n2", add)
  .addNode("n3", add)
  .addNode("n4", add)
  .addNode("n5", add)
  .addNode("n6", add)
  .addNode("n7", add)
  .addEdge(START, "n0")
  .addEdge("n0", "n1")
  .addEdge("n1", "n2")
  .addEdge("n2", "n3")
  .addEdge("n3", "n4")
  .addEdge("n4", "n5")
  .addEdge("n5", "n6")
  .addEdge("n6", "n7")
  .addEdge("n7", END)
  .compile({ checkpointer: saver });
const inLangGraph = (kind: string, durability: "sync" | "exit") =>
  inLoop((n) => peer.invoke({ value: n }, { durability, configurable: { thread_id: id(kind, n) } }));

DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 20, logLevel: "error" });
await DBOS.launch();
const rows: Record<string, (kind: string) => Promise<number>> = {
  "segment in a loop": (kind) => inLoop((n) => order.segment(id(kind, n), { input: n })),
  "ten bare statements": statements,
  "invoke in a loop": (kind) => inLoop((n) => order.invoke(n, { checkpointId: id(kind, n) })),
  "LangGraph, PostgresSaver, sync": (kind) => inLangGraph(kind, "sync"),
  "LangGraph, PostgresSaver, exit": (kind) => inLangGraph(kind, "exit"),
  startWorker: ownWorker,
  ...(redisPort > 0 && { BullMQ: bullmq }),
  "DBOS, a step per segment": (kind) => inDbos(segmentWorkflow, kind),
  "DBOS alone, a step per node": (kind) => inDbos(stepsWorkflow, kind),
};
const only = process.env.KUMIKO_BENCH_ONLY?.split(",") ?? [""];
const names = Object.keys(rows).filter((name) => only.some((part) => name.includes(part)));
const times = new Map<string, number[]>(names.map((name) => [name, []]));
const rounds = Number(process.env.KUMIKO_BENCH_ROUNDS ?? 5);
for (let turn = 0; turn < rounds; turn++) {
  const from = turn % names.length;
  for (const name of [...names.slice(from), ...names.slice(0, from)])
    times.get(name)?.push((await rows[name]?.(`${name.replaceAll(/\W/g, "")}-${turn}`)) ?? Number.NaN);
}
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const base = times.get("segment in a loop") ?? [];
console.log(`${count} runs, ${rounds} rounds, medians; load ${loadavg()[0]?.toFixed(1)}`);
for (const [name, each] of times) {
  const ratio = median(each.map((time, turn) => time / (base[turn] ?? Number.NaN)));
  console.log(`${name.padEnd(32)}${median(each).toFixed(2).padStart(8)} ms/run${ratio.toFixed(2).padStart(8)} ×`);
}
await DBOS.shutdown();
await pool.query(`DROP TABLE IF EXISTS ${table}_entries, ${table}`);
await store.close();
await pool.end();
