import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "kumiko";
import type { CheckpointStore, ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { describeWithPostgres, hookTimeout, type PostgresServer, startServer } from "../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-durable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Test files may share this module: the one before has removed it. */
function existingFolder(): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
let files = 0;

const stores: readonly (readonly [name: string, open: () => CheckpointStore])[] = [
  ["memory", () => memoryStore()],
  ["sqlite", () => sqliteStore(join(existingFolder(), `${++files}.db`))],
  ["no runs, no append", () => bareStore(memoryStore())],
];

/** Runs tests with a store for each way in which runs are found and changed. */
export function describeStores(name: string, tests: (open: () => CheckpointStore) => void): void {
  for (const [store, open] of stores) describe(`${name}: ${store}`, () => tests(open));
  describeWithPostgres(`${name}: PostgreSQL`, () => {
    let server: PostgresServer;
    const opened: ClosableStore[] = [];
    beforeAll(async () => {
      server = await startServer();
    }, hookTimeout);
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });
    afterAll(() => server?.stop());
    tests(() => {
      const store = postgresStore({ connectionString: server.url() }, { table: `runs_${++files}` });
      opened.push(store);
      return store;
    });
  });
}

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
