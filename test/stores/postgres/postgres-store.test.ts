import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ClosableStore } from "../../../src/checkpoint/checkpoint-store.js";
import type { PostgresConnection } from "../../../src/stores/postgres/database.js";
import { postgresStore } from "../../../src/stores/postgres/postgres-store.js";
import type { PostgresStoreOptions } from "../../../src/stores/postgres/store-options.js";
import { checkpointStoreConformance } from "../../../src/testing/checkpoint-store-conformance.js";
import { bytes, idsOf } from "./rows.js";
import { describeWithPostgres, hookTimeout, openAdmin, type PostgresServer, patience, startServer } from "./server.js";

describeWithPostgres("postgresStore", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const stores: ClosableStore[] = [];
  const open = (connection: PostgresConnection, options?: PostgresStoreOptions) => {
    const store = postgresStore(connection, options);
    stores.push(store);
    return store;
  };
  const openStore = (options?: PostgresStoreOptions) => open({ connectionString: server.url() }, options);
  const connections = async () => {
    const { rows } = await admin.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'",
    );
    return rows[0].n as number;
  };

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  describe("with a connection string", () => {
    it.each(checkpointStoreConformance(openStore))("$name", ({ run }) => run());
  });

  describe("with a pool whose transactions are serializable, and whose values are read in ways of its own", () => {
    let pool: pg.Pool;
    beforeAll(async () => {
      await admin.query("CREATE DATABASE strict");
      await admin.query("ALTER DATABASE strict SET default_transaction_isolation = 'serializable'");
      await admin.query("ALTER DATABASE strict SET bytea_output = 'escape'");
      const unread: unknown = {
        getTypeParser: (type: number) => (text: string) => (type === 25 ? text : `unread ${text}`),
      };
      pool = new pg.Pool({ connectionString: server.url("strict"), types: unread as pg.CustomTypesConfig });
    });
    afterAll(() => pool?.end());
    it.each(checkpointStoreConformance(() => open({ pool })))("$name", ({ run }) => run());
  });

  describe("what it gives", () => {
    it("is a plain Uint8Array with memory of its own", async () => {
      const store = openStore();
      await store.put("plain", Buffer.from("a"), undefined);
      const found = await store.get("plain");
      expect(found?.data).toStrictEqual(bytes("a"));
      expect(found?.data.buffer.byteLength).toBe(1);
    });

    it("says which version stands in the way", async () => {
      const store = openStore();
      const version = await store.put("order-7", bytes("a"), undefined);
      await expect(store.put("order-7", bytes("b"), undefined)).rejects.toMatchObject({
        code: "CHECKPOINT_CONFLICT",
        message: expect.stringContaining(`exists already (version ${version})`),
      });
      await expect(store.put("order-7", bytes("b"), version + 1)).rejects.toMatchObject({
        code: "CHECKPOINT_CONFLICT",
        message: expect.stringContaining(`has version ${version}, not ${version + 1}`),
      });
      await expect(store.delete("order-8", version)).rejects.toMatchObject({
        code: "CHECKPOINT_CONFLICT",
        message: expect.stringContaining(`no longer has version ${version}`),
      });
    });

    it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 63])("has no version %s", async (version) => {
      const store = openStore();
      const id = `odd version ${version}`;
      await store.put(id, bytes("a"), undefined);
      await expect(store.put(id, bytes("b"), version)).rejects.toMatchObject({ code: "CHECKPOINT_CONFLICT" });
      await expect(store.delete(id, version)).rejects.toMatchObject({ code: "CHECKPOINT_CONFLICT" });
    });

    it("refuses ids that are too long, and what is no text", async () => {
      const store = openStore();
      await expect(store.get("a".repeat(513))).rejects.toMatchObject({ code: "INVALID_KEY" });
      await expect(store.put(JSON.parse("7"), bytes("a"), undefined)).rejects.toMatchObject({ code: "INVALID_KEY" });
    });

    it("is all ids, page after page, also when others write between them", async () => {
      const store = openStore();
      const ids = Array.from({ length: 1_201 }, (_, index) => `page/${String(index).padStart(4, "0")}`);
      await Promise.all(ids.map((id) => store.put(id, bytes(id), undefined)));
      const seen: string[] = [];
      for await (const id of store.list("page/")) {
        seen.push(id);
        if (seen.length === 700) {
          await store.put("page/0000.5", bytes("behind"), undefined);
          await store.delete("page/1100");
          await store.put("page/1150.5", bytes("ahead"), undefined);
        }
      }
      expect(seen).toEqual([...ids.filter((id) => id !== "page/1100"), "page/1150.5"].sort());
    });
  });

  describe("close", () => {
    it("ends the connections that the store made", async () => {
      await expect.poll(connections, patience).toBe(1);
      const store = openStore();
      await Promise.all(Array.from({ length: 20 }, (_, n) => store.put(`many/${n}`, bytes("a"), undefined)));
      expect(await connections()).toBeGreaterThan(1);
      await store.close();
      await expect.poll(connections, patience).toBe(1);
    });

    it("leaves a pool that it was given as it is, and frees the connection beside it", async () => {
      const pool = new pg.Pool({ connectionString: server.url(), max: 1 });
      const store = open({ pool });
      await store.put("given pool", bytes("a"), undefined);
      await store.close();
      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
      await pool.end();
      await expect.poll(connections, patience).toBe(1);
    });

    it("lets calls that are under way settle, however many wait for a connection", async () => {
      const store = openStore();
      await store.put("under way", bytes("a"), undefined);
      const calls = Array.from({ length: 50 }, (_, n) => store.put(`under way/${n}`, bytes("a"), undefined));
      const settled = Promise.allSettled(calls);
      await new Promise(setImmediate); // now ten are at work, and the others wait
      await store.close();
      for (const outcome of await settled)
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "STORE_FAILED" });
    });

    it("makes every later call reject, and can be called twice", async () => {
      const store = openStore();
      await store.put("closed", bytes("a"), undefined);
      await Promise.all([store.close(), store.close()]);
      await store.close();
      const calls = [
        store.get("a"),
        store.put("a", bytes("a"), undefined),
        store.delete("a"),
        idsOf(store, ""),
        store.isOwnerAlive?.("somebody"),
      ];
      for (const call of calls)
        await expect(call).rejects.toMatchObject({
          code: "STORE_FAILED",
          message: expect.stringContaining("is closed"),
        });
    });

    it("needs no connection when there was none", async () => {
      await open({ connectionString: "postgres://nobody@127.0.0.1:1/nothing" }).close();
    });

    it("of one store leaves the lock to the others on its pool", async () => {
      const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
      const [one, two] = [open({ pool }), open({ pool })];
      await one.put("shared/1", bytes("a"), undefined);
      await two.put("shared/2", bytes("a"), undefined);
      const locks = async () =>
        (await admin.query("SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'")).rows[0].n;
      expect(await locks()).toBe(1);
      await one.close();
      expect(await locks()).toBe(1);
      await two.close();
      await expect.poll(locks, patience).toBe(0);
      await pool.end();
    });
  });
});
