// What an index costs each save, and what it costs to find runs among 300,000, in all stores or in the named ones:
// node bench/start.mjs bench/details/store-runs.ts [memory] [sqlite] [postgres]
//
// PostgreSQL needs KUMIKO_BENCH_POSTGRES=postgres://…, and a table there is dropped at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClosableStore, RunIndex, RunQuery, RunStatus } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import pg from "pg";
import { memoryStore } from "../../src/checkpoint/memory-store.js";
import { compare } from "./compare.js";

const ROWS = 300_000;
const WRITES = 64;
const data = new Uint8Array(300).fill(7);
const start = 1_700_000_000_000;
/** Of 100 runs: 80 are finished, 10 wait, 8 are ready, 2 are running. */
const statusOf = (at: number): RunStatus =>
  at % 100 < 80 ? "finished" : at % 100 < 90 ? "waiting" : at % 100 < 98 ? "ready" : "running";

/** Appends to a row whose index stays, is another object of the same values, or is not given. */
function appends(store: ClosableStore, indexOf: (() => RunIndex) | undefined): () => Promise<void> {
  const id = `append ${crypto.randomUUID()}`;
  let version: number | undefined;
  return async () => {
    let last = await store.put(id, data, version, indexOf?.());
    for (let left = WRITES - 1; left > 0; left--) last = (await store.append?.(id, data, last, indexOf?.())) ?? 0;
    version = last;
  };
}

async function measureSaves(name: string, store: ClosableStore, iterations?: number): Promise<void> {
  const index: RunIndex = { status: "running", graph: "order", owner: "host/7", since: start };
  await compare({
    name: `${WRITES} appends of 300 bytes ${name}, per append`,
    operations: WRITES,
    rounds: 7,
    iterations,
    baseline: appends(store, undefined),
    variants: {
      "the same index again": appends(store, () => index),
      "another object of the same index": appends(store, () => ({ ...index })),
    },
  });
}

async function measureQueries(name: string, store: ClosableStore): Promise<void> {
  const queries: Record<string, RunQuery> = {
    ready: { status: "ready" },
    waiting: { status: "waiting" },
    "ready, waiting and running": { status: ["ready", "waiting", "running"] },
    "any status": {},
    "passed deadlines": { status: "waiting", dueBefore: start + 60_000 },
    "passed deadlines, of which there are none": { status: "waiting", dueBefore: start },
  };
  const [after] = (await store.runs?.({ status: "ready", limit: 20_000 }))?.slice(-1) ?? [];
  queries["ready, after 20,000"] = { status: "ready", after };
  console.log(`\n100 runs among ${ROWS.toLocaleString("en-US")} ${name}, median and longest of 41 queries`);
  for (const [what, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < 41; round++) {
      const begin = performance.now();
      await store.runs?.(query);
      times.push(performance.now() - begin);
    }
    times.sort((a, b) => a - b);
    console.log(`  ${what.padEnd(44)} ${times[20]?.toFixed(2).padStart(8)} ms ${times[40]?.toFixed(2).padStart(8)} ms`);
  }
}

const indexOf = (at: number): RunIndex => {
  const status = statusOf(at);
  const due = status === "waiting" && at % 20 === 0 ? start + at * 10_000 : undefined;
  return { status, graph: `graph ${at % 7}`, since: start + at * 10, due };
};

async function fill(store: ClosableStore): Promise<void> {
  for (let at = 0; at < ROWS; at++) await store.put(`run-${at}`, data, undefined, indexOf(at));
}

/** The same rows, in one statement. */
const fillTable = `INSERT INTO kumiko_bench_runs (id, base, status, graph, since, due)
SELECT convert_to('run-' || n, 'UTF8'), decode(repeat('07', 300), 'hex'),
CASE WHEN n % 100 < 80 THEN 'finished' WHEN n % 100 < 90 THEN 'waiting' WHEN n % 100 < 98 THEN 'ready' ELSE 'running' END,
convert_to('graph ' || n % 7, 'UTF8'), ${start} + n * 10,
CASE WHEN n % 100 BETWEEN 80 AND 89 AND n % 20 = 0 THEN ${start} + n * 10000::bigint END
FROM generate_series(0, ${ROWS - 1}) AS n`;

const named = process.argv.slice(2);
const asked = (name: string) => named.length === 0 || named.includes(name);
if (asked("memory")) await inMemory();
if (asked("sqlite")) await inFile();
const url = process.env.KUMIKO_BENCH_POSTGRES;
if (asked("postgres") && url !== undefined) await inPostgres(url);

async function inMemory(): Promise<void> {
  const store = memoryStore();
  await measureSaves("in memory", store);
  await fill(store);
  await measureQueries("in memory", store);
  await store.close();
}

async function inFile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
  const store = sqliteStore(join(folder, "runs.db"), { synchronous: "normal" });
  await measureSaves('in a SQLite file, synchronous "normal"', store);
  await fill(store);
  await measureQueries("in a SQLite file", store);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

async function inPostgres(connectionString: string): Promise<void> {
  const admin = new pg.Pool({ connectionString, max: 1 });
  const open = () => postgresStore({ connectionString }, { table: "kumiko_bench_runs" });
  const store = open();
  await measureSaves("in PostgreSQL", store, 1);
  await admin.query(fillTable);
  await measureQueries("in PostgreSQL, without statistics", store);
  await admin.query("ANALYZE kumiko_bench_runs");
  await measureQueries("in PostgreSQL", store);
  await measureWakeUps(store, open());
  await measureStatusChanges(store);
  await store.close();
  await admin.query("DROP TABLE kumiko_bench_runs, kumiko_bench_runs_entries");
  await admin.end();
}

/** From the call that makes a run ready until another connection hears of it. */
async function measureWakeUps(store: ClosableStore, other: ClosableStore): Promise<void> {
  let heard: (id: string | undefined) => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    heard = () => resolve();
  });
  const awake = setInterval(() => undefined, 1_000); // a connection that listens does not keep the process alive
  other.changes?.((row) => heard(row?.id));
  await begun;
  const times: number[] = [];
  for (let at = 0; at < 500; at++) {
    const id = `wake-${at}`;
    const begin = performance.now();
    const told = new Promise<void>((resolve) => {
      heard = (found) => found === id && resolve();
    });
    await store.put(id, data, undefined, { status: "ready", graph: "order", since: Date.now() });
    await told;
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  console.log(`\nfrom put to listener: p50 ${times[250]?.toFixed(1)} ms, p99 ${times[495]?.toFixed(1)} ms`);
  clearInterval(awake);
  await other.close();
}

/** Writes that change the status, and so notify, beside writes that do not. */
async function measureStatusChanges(store: ClosableStore): Promise<void> {
  for (const status of ["running", "ready"] as const) {
    const begin = performance.now();
    let written = 0;
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        while (performance.now() - begin < 3_000) {
          await store.put(crypto.randomUUID(), data, undefined, { status, graph: "order", since: Date.now() });
          written += 1;
        }
      }),
    );
    console.log(`puts with status ${status}, 10 at once: ${Math.round(written / 3)}/s`);
  }
}
