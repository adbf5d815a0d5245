// What it costs to append to a checkpoint, beside writing a small and a large one: node bench/start.mjs bench/details/store-append.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckpointStore, memoryStore } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import { compare } from "./compare.js";

const WRITES = 64;
const entry = new Uint8Array(300).fill(7);
const large = new Uint8Array(100_000).fill(1);

/** Puts again and again. */
function puts(store: CheckpointStore, data: Uint8Array): () => Promise<void> {
  const id = `put ${data.length}`;
  let version: number | undefined;
  return async () => {
    for (let left = WRITES; left > 0; left--) version = await store.put(id, data, version);
  };
}

/** Appends small entries to what was put; each call begins with a put, which is counted with them. */
function appends(store: CheckpointStore, data: Uint8Array): () => Promise<void> {
  const id = `append to ${data.length}`;
  let version: number | undefined;
  return async () => {
    let last = await store.put(id, data, version);
    for (let left = WRITES - 1; left > 0; left--) last = (await store.append?.(id, entry, last)) ?? 0;
    version = last;
  };
}

async function measure(name: string, store: CheckpointStore, times: { rounds?: number; iterations?: number } = {}) {
  await compare({
    name: `${WRITES} writes of 300 bytes ${name}, per write`,
    operations: WRITES,
    ...times,
    baseline: puts(store, entry),
    variants: {
      "append to 300 bytes": appends(store, entry),
      "append to 100 kB": appends(store, large),
      "put of 100 kB": puts(store, large),
    },
  });
}

const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
const full = sqliteStore(join(folder, "full.db"));
const normal = sqliteStore(join(folder, "normal.db"), { synchronous: "normal" });
await measure("in memory", memoryStore());
await measure('in a SQLite file, synchronous "normal"', normal);
await measure('in a SQLite file, synchronous "full"', full, { rounds: 3, iterations: 2 });
await Promise.all([full.close(), normal.close()]);
rmSync(folder, { recursive: true, force: true });
