import { type CheckpointStore, KumikoError } from "kumiko";
import { postgresStore } from "kumiko/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendTo, bytes, contentOf, entriesOf, idsOf, textOf } from "./rows.js";
import { describeWithPostgres, hookTimeout, type PostgresServer, patience, startServer } from "./server.js";

describeWithPostgres("a PostgreSQL that crashes in the middle of puts", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  }, hookTimeout);
  afterAll(() => server?.stop());

  it("keeps every put that was acknowledged, nothing by halves, and gives no version twice", async () => {
    const store = postgresStore({ connectionString: server.url() });
    const versions = new Set<number>();
    for (let round = 0; round < 3; round++) {
      const acknowledged = new Map<string, number>();
      const writers = Array.from({ length: 4 }, (_, n) => write(store, `crash/${round}/${n}/`, acknowledged));
      await expect.poll(() => acknowledged.size, { ...patience, interval: 1 }).toBeGreaterThan(20 + 30 * round);
      await server.crash();
      await Promise.all(writers);
      await server.restart();
      for (const [id, version] of acknowledged) {
        expect((await store.get(id))?.version).toBe(version);
        expect(versions.has(version)).toBe(false);
        versions.add(version);
      }
      for (const id of await idsOf(store, `crash/${round}/`)) expect(await textOf(store, id)).toBe(contentOf(id));
    }
    await store.close();
  });

  it("keeps every append that was acknowledged, in order, or the one that was under way too", async () => {
    const store = postgresStore({ connectionString: server.url() });
    for (let round = 0; round < 3; round++) {
      const id = `appended/${round}`;
      const count = { acknowledged: -1 };
      const writer = appendContents(store, id, count);
      await expect.poll(() => count.acknowledged, { ...patience, interval: 1 }).toBeGreaterThan(20 + 10 * round);
      await server.crash();
      await writer;
      await server.restart();
      const entries = await entriesOf(store, id);
      expect([count.acknowledged + 1, count.acknowledged + 2]).toContain(entries.length);
      expect(entries).toEqual(entries.map((_, n) => contentOf(`${id}/${n}`)));
    }
    await store.close();
  });

  it("keeps the last acknowledged replacement, or the one that was under way", async () => {
    const store = postgresStore({ connectionString: server.url() });
    const count = { acknowledged: 0 };
    const writer = replace(store, "count", count);
    await expect.poll(() => count.acknowledged, { ...patience, interval: 1 }).toBeGreaterThan(50);
    await server.crash();
    await writer;
    await server.restart();
    expect([count.acknowledged, count.acknowledged + 1]).toContain(Number(await textOf(store, "count")));
    await store.close();
  });
});

/** Creates rows until the server is gone, and notes what it acknowledged. */
async function write(store: CheckpointStore, prefix: string, acknowledged: Map<string, number>): Promise<void> {
  await untilItFails(async (n) => {
    const id = prefix + n;
    acknowledged.set(id, await store.put(id, bytes(contentOf(id)), undefined));
  });
}

async function replace(store: CheckpointStore, id: string, count: { acknowledged: number }): Promise<void> {
  let version: number | undefined;
  await untilItFails(async (n) => {
    version = await store.put(id, bytes(String(n)), version);
    count.acknowledged = n;
  });
}

/** Appends until the server is gone, and notes how much it acknowledged. */
async function appendContents(store: CheckpointStore, id: string, count: { acknowledged: number }): Promise<void> {
  let version = await store.put(id, bytes("base"), undefined);
  await untilItFails(async (n) => {
    version = await appendTo(store, id, contentOf(`${id}/${n}`), version);
    count.acknowledged = n;
  });
}

async function untilItFails(work: (n: number) => Promise<void>): Promise<void> {
  try {
    for (let n = 0; ; n++) await work(n);
  } catch (error) {
    if (!KumikoError.is(error) || error.code !== "STORE_FAILED") throw error;
  }
}
