// What a worker costs beside segments in a loop, and how soon a run begins that is enqueued.
//
// node bench/start.mjs bench/durable/workers.ts [runs]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chain, memoryStore } from "kumiko";
import type { CheckpointStore } from "kumiko/compose";
import { runs, startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";

const count = Number(process.argv[2] ?? 1_000);
const concurrency = 10;
const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
let names = 0;

const stores: Record<string, () => CheckpointStore & { close(): Promise<void> }> = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(join(folder, `${++names}.db`)),
};
const { DATABASE_URL: url } = process.env;
if (url !== undefined)
  stores.postgres = () => postgresStore({ connectionString: url }, { table: `bench_${process.pid}_${++names}` });

try {
  for (const [name, open] of Object.entries(stores)) {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const loop = await withStore(open, inLoop);
      const worker = await withStore(open, byWorker);
      ratios.push(worker / loop);
      console.log(
        `${name}: ${perRun(loop)} by segment in a loop, ${perRun(worker)} by a worker (× ${(worker / loop).toFixed(2)})`,
      );
    }
    const [p50, p99] = await withStore(open, untilBegun);
    console.log(`${name}: median × ${sorted(ratios)[1]?.toFixed(2)}; enqueue to node p50 ${p50} ms, p99 ${p99} ms`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Eight nodes that do nothing. */
function appOf(store: CheckpointStore, first: (id: string) => void = () => undefined) {
  const chain = new Chain<string>().append((id) => {
    first(id);
    return id;
  });
  const same = (id: string): string => id;
  return chain.append(same).append(same).append(same).append(same).append(same).append(same).append(same).compile({
    name: "bench",
    store,
  });
}

async function enqueued(store: CheckpointStore): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `run-${n}`);
  for (const id of ids) await runs(store).enqueue("bench", id, { id });
  return ids;
}

/** Milliseconds for all runs. */
async function inLoop(store: CheckpointStore): Promise<number> {
  const app = appOf(store);
  const ids = await enqueued(store);
  const started = performance.now();
  const next = ids.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const id of next) await app.segment(id);
    }),
  );
  return performance.now() - started;
}

async function byWorker(store: CheckpointStore): Promise<number> {
  const app = appOf(store);
  await enqueued(store);
  const started = performance.now();
  const worker = startWorker({ bench: app }, { concurrency });
  await worker.idle();
  const elapsed = performance.now() - started;
  await worker.stop();
  return elapsed;
}

/** One run each 5 milliseconds. */
async function untilBegun(store: CheckpointStore): Promise<readonly [p50: string, p99: string]> {
  const at = new Map<string, number>();
  const waits: number[] = [];
  const app = appOf(store, (id) => waits.push(performance.now() - (at.get(id) ?? 0)));
  const worker = startWorker({ bench: app }, { concurrency });
  await worker.idle();
  for (let n = 0; n < 300; n++) {
    const id = `run-${n}`;
    at.set(id, performance.now());
    await runs(store).enqueue("bench", id, { id });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await worker.idle();
  await worker.stop();
  const all = sorted(waits);
  const share = (part: number): string => (all[Math.floor(part * (all.length - 1))] ?? Number.NaN).toFixed(1);
  return [share(0.5), share(0.99)];
}

async function withStore<T>(
  open: () => CheckpointStore & { close(): Promise<void> },
  use: (store: CheckpointStore) => Promise<T>,
): Promise<T> {
  const store = open();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function perRun(milliseconds: number): string {
  return `${((1_000 * milliseconds) / count).toFixed(0)} µs`;
}
