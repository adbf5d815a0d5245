import { postgresStore } from "kumiko/postgres";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ClientProcess } from "./client-process.js";
import { bytes, contentOf, entriesOf, idsOf, textOf } from "./rows.js";
import { describeWithPostgres, hookTimeout, openAdmin, type PostgresServer, startServer } from "./server.js";

describeWithPostgres("processes that share a table of PostgreSQL", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const clients: ClientProcess[] = [];
  const start = (...values: string[]) => {
    const client = new ClientProcess(server.url(), values);
    clients.push(client);
    return client;
  };
  const startFour = async (...values: string[]) => {
    const four = Array.from({ length: 4 }, () => start(...values));
    await Promise.all(four.map((client) => client.says(1)));
    for (const client of four) client.go();
    return four;
  };
  const open = () => postgresStore({ connectionString: server.url() });

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.kill()));
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  it("may all make it at once", async () => {
    for (let round = 0; round < 2; round++) {
      await admin.query("DROP TABLE IF EXISTS kumiko_checkpoints");
      const four = await startFour("create");
      expect(await Promise.all(four.map((client) => client.ends()))).toEqual([0, 0, 0, 0]);
    }
    const { rows } = await admin.query("SELECT FROM pg_indexes WHERE tablename = 'kumiko_checkpoints'");
    expect(rows).toHaveLength(4);
  });

  it("lose no update when they try again after each conflict", async () => {
    const store = open();
    await store.put("counter", bytes("0"), undefined);
    const four = await startFour("increment", "counter", "50");
    expect(await Promise.all(four.map((client) => client.ends()))).toEqual([0, 0, 0, 0]);
    expect(await textOf(store, "counter")).toBe("200");
    await store.close();
  });

  it("keep what was acknowledged, and nothing by halves, when one is killed in the middle of its writes", async () => {
    const store = open();
    for (let round = 0; round < 5; round++) {
      const prefix = `killed/${round}/`;
      const client = start("write", prefix);
      await client.says(10 + 7 * round);
      await client.kill();
      const acknowledged = client.lines.filter((line) => line.startsWith(prefix));
      const counted = Number(client.lines.findLast((line) => line.startsWith("count "))?.slice("count ".length));
      const kept = (await idsOf(store, prefix)).filter((id) => id !== `${prefix}count`);
      expect(kept).toEqual(expect.arrayContaining(acknowledged));
      expect(kept.length - acknowledged.length).toBeLessThanOrEqual(1);
      for (const id of kept) expect(await textOf(store, id)).toBe(contentOf(id));
      const count = Number(await textOf(store, `${prefix}count`));
      expect([counted, counted + 1]).toContain(count);
    }
    await store.close();
  });

  it("keep what was appended and acknowledged, and nothing by halves, when one is killed meanwhile", async () => {
    const store = open();
    for (let round = 0; round < 5; round++) {
      const id = `killed appends/${round}`;
      const client = start("append", id);
      await client.says(10 + 7 * round);
      await client.kill();
      const acknowledged = Number(client.lines.at(-1));
      const base = Number(await textOf(store, id));
      const entries = await entriesOf(store, id);
      expect([acknowledged, acknowledged + 1]).toContain(base + entries.length);
      expect(base % 6).toBe(0);
      expect(entries).toEqual(entries.map((_, n) => contentOf(`${id}/${base + n + 1}`)));
    }
    await store.close();
  });

  it("end when they have nothing more to do, also when they close nothing", async () => {
    const client = start("leave");
    expect(await client.ends()).toBe(0);
    expect(client.lines).toEqual(["a"]);
  });
});
