// How long it takes to find runs among 300,000 rows, and from `enqueue` to the first node:
// KUMIKO_BENCH_POSTGRES=postgres://… node bench/start.mjs bench/details/runs-among-many.ts
import { setTimeout as pause } from "node:timers/promises";
import { Chain } from "kumiko";
import type { RunQuery } from "kumiko/compose";
import { runs, startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.KUMIKO_BENCH_POSTGRES ?? "", max: 20 });
const table = `bench_rows_${process.pid}`;
const store = postgresStore({ pool }, { table });

let began: (at: number) => void = () => undefined;
const order = new Chain<number>()
  .append((value: number) => {
    began(performance.now());
    return value + 1;
  })
  .compile({ name: "order", store });

await order.segment("first", { input: 1 });
await pool.query(`INSERT INTO ${table} (id, base, status, graph, since)
SELECT convert_to('r' || n, 'UTF8'), (SELECT base FROM ${table} LIMIT 1),
CASE n % 100 WHEN 0 THEN 'waiting' WHEN 1 THEN 'failed' ELSE 'finished' END, convert_to('other', 'UTF8'), 1e12 + n
FROM generate_series(1, 300000) AS n`);
await pool.query(`ANALYZE ${table}`);

function tell(name: string, times: number[]): void {
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
  process.stdout.write(`${name.padEnd(32)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
}

async function find(name: string, query: RunQuery): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const started = performance.now();
    await store.runs?.(query);
    times.push(performance.now() - started);
  }
  tell(name, times);
}

await find("ready", { status: ["ready"] });
await find("waiting, the first 100", { status: ["waiting"] });
await find("waiting, of a graph without any", { status: ["waiting"], graph: ["order"] });
await find("deadlines that have passed", { dueBefore: Date.now() });

const worker = startWorker({ order });
await worker.idle();
const times: number[] = [];
for (let n = 0; n < 200; n++) {
  const beginning = new Promise<number>((resolve) => {
    began = resolve;
  });
  const started = performance.now();
  await runs(store).enqueue("order", n, { id: `enqueued-${n}` });
  times.push((await beginning) - started);
  await pause(10);
}
tell("from enqueue to the first node", times);
await worker.stop();
await store.close();
await pool.query(`DROP TABLE ${table}_entries, ${table}`);
await pool.end();
