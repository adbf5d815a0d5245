import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "kumiko";
import type { CheckpointStore } from "kumiko/compose";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "kumiko-durable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** One for each way in which runs are found and changed. */
export const stores: readonly (readonly [name: string, open: () => CheckpointStore])[] = [
  ["memory", () => memoryStore()],
  ["sqlite", () => sqliteStore(join(folder, `${++files}.db`))],
  ["no runs, no append", () => bareStore(memoryStore())],
];

/** A store with the methods that every store has. */
export function bareStore(store: CheckpointStore): CheckpointStore {
  return {
    get: (id) => store.get(id),
    put: (id, data, ifVersion, index) => store.put(id, data, ifVersion, index),
    delete: (id, ifVersion) => store.delete(id, ifVersion),
    list: (prefix) => store.list(prefix),
  };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
