import type { ClosableStore } from "kumiko/compose";
import { type PostgresConnection, type PostgresStoreOptions, postgresStore } from "kumiko/postgres";
import { checkpointStoreConformance } from "kumiko/testing";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { appendTo, bytes, entriesOf, idsOf } from "./rows.js";
import {
  describeWithPostgres,
  hookTimeout,
  openAdmin,
  openPool,
  type PostgresServer,
  patience,
  startServer,
} from "./server.js";

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
      pool = openPool({ connectionString: server.url("strict"), types: unread as pg.CustomTypesConfig });
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
        message: expect.stringContaining(`already exists (version ${version})`),
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

  describe("entries", () => {
    const count = async () => (await admin.query("SELECT FROM kumiko_checkpoints_entries")).rowCount ?? 0;

    it("are plain Uint8Arrays with memory of their own", async () => {
      const store = openStore();
      const version = await store.put("plain entries", bytes("a"), undefined);
      await store.append?.("plain entries", Buffer.from("b"), version);
      const [entry] = (await store.get("plain entries"))?.appended ?? [];
      expect(entry).toStrictEqual(bytes("b"));
      expect(entry?.buffer.byteLength).toBe(1);
    });

    it("keep their order, however many there are", async () => {
      const store = openStore();
      let version = await store.put("many entries", bytes("base"), undefined);
      for (let n = 0; n < 2_000; n++) version = await appendTo(store, "many entries", String(n), version);
      const { rows } = await admin.query("SELECT entries FROM kumiko_checkpoints WHERE id = 'many entries'");
      await admin.query(
        `INSERT INTO kumiko_checkpoints_entries (list, version, data)
         SELECT $1, $2::bigint + n, convert_to((1999 + n)::text, 'UTF8') FROM generate_series(1, 8000) AS n ORDER BY random()`,
        [rows[0].entries, version],
      );
      expect(await entriesOf(store, "many entries")).toEqual(Array.from({ length: 10_000 }, (_, n) => String(n)));
      await store.delete("many entries");
    });

    it("leave nothing behind when their base is replaced or deleted", async () => {
      const store = openStore();
      const before = await count();
      for (const way of ["replaced", "deleted", "deleted at its version"]) {
        const version = await appendTo(store, way, "entry", await store.put(way, bytes("base"), undefined));
        if (way === "replaced") await store.put(way, bytes("again"), version);
        else await store.delete(way, way === "deleted" ? undefined : version);
      }
      expect(await count()).toBe(before);
    });

    it("leave nothing behind when one is appended while their base is deleted", async () => {
      const store = openStore();
      const before = await count();
      const version = await appendTo(store, "raced", "one", await store.put("raced", bytes("base"), undefined));
      // an append of another process, which comes to its end after the deletion has begun
      await admin.query("BEGIN");
      await admin.query(
        `WITH head AS (UPDATE kumiko_checkpoints SET version = DEFAULT WHERE id = 'raced' AND version = $1 RETURNING *)
         INSERT INTO kumiko_checkpoints_entries (list, version, data) SELECT entries, version, 'two' FROM head`,
        [version],
      );
      const removal = store.delete("raced");
      await expect
        .poll(
          async () => (await admin.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
          patience,
        )
        .toBe(1);
      await admin.query("COMMIT");
      await removal;
      expect(await store.get("raced")).toBeUndefined();
      expect(await count()).toBe(before);
    });

    it("are appended in one round trip", async () => {
      const pool = openPool({ connectionString: server.url() });
      const store = open({ pool });
      const version = await store.put("one round trip", bytes("a"), undefined);
      let statements = 0;
      const counted = open({
        pool: {
          totalCount: 0,
          query: (query) => {
            statements += 1;
            return pool.query(query);
          },
        },
      });
      await counted.get("nothing");
      statements = 0;
      await appendTo(counted, "one round trip", "b", version);
      expect(statements).toBe(1);
      await counted.get("one round trip");
      expect(statements).toBe(2);
      await store.close();
      await pool.end();
    });

    it("say which version stands in the way", async () => {
      const store = openStore();
      const version = await store.put("order-9", bytes("a"), undefined);
      const next = await appendTo(store, "order-9", "b", version);
      await expect(store.append?.("order-9", bytes("c"), version)).rejects.toMatchObject({
        code: "CHECKPOINT_CONFLICT",
        message: expect.stringContaining(`has version ${next}, not ${version}`),
      });
    });

    it.each([0, -1, 0.5, Number.NaN, 2 ** 63])("are not appended to version %s", async (version) => {
      const store = openStore();
      await store.put(`odd append ${version}`, bytes("a"), undefined);
      const call = store.append?.(`odd append ${version}`, bytes("b"), version);
      await expect(call).rejects.toMatchObject({ code: "CHECKPOINT_CONFLICT" });
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
      const pool = openPool({ connectionString: server.url(), max: 1 });
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
        store.append?.("a", bytes("a"), 1),
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
      const pool = openPool({ connectionString: server.url(), max: 2 });
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
