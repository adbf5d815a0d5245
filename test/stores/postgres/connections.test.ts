import { KumikoError } from "kumiko";
import type { ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import { default as pg } from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Gateway } from "./gateway.js";
import { bytes, idsOf, textOf } from "./rows.js";
import {
  describeWithPostgres,
  hookTimeout,
  openAdmin,
  type PostgresServer,
  password,
  patience,
  startServer,
} from "./server.js";

describeWithPostgres("the connections of a postgresStore", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  let gateway: Gateway;
  const stores: ClosableStore[] = [];
  const open = (connectionString: string) => {
    const store = postgresStore({ connectionString });
    stores.push(store);
    return store;
  };
  const failed = expect.objectContaining({ code: "STORE_FAILED", cause: expect.any(Error) });
  /** Waits until so many statements wait for a lock. */
  const waiting = (count: number) =>
    expect
      .poll(
        async () => (await admin.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
        patience,
      )
      .toBe(count);
  const endOthers = () =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
    gateway = await Gateway.open(server.port);
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await gateway?.close();
    await admin?.end();
    await server?.stop();
  });

  it("that lose what they have prepared, as behind a pooler, run the statements without", async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 1 });
    const store = postgresStore({ pool });
    const append = async (text: string, version: number) => store.append?.("unprepared", bytes(text), version) ?? 0;
    let version = await store.put("unprepared", bytes("a"), undefined);
    version = await append("b", version);
    const names = await pool.query(
      "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'kumiko%'",
    );
    expect(names.rows).toEqual([{ count: 2 }]);
    await pool.query("DEALLOCATE ALL");
    const [first, second] = await Promise.allSettled([append("c", version), append("d", version)]);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(second).toMatchObject({ status: "rejected", reason: { code: "CHECKPOINT_CONFLICT" } });
    const row = await store.get("unprepared");
    expect(row?.appended?.map((data) => Buffer.from(data).toString())).toEqual(["b", "c"]);
    await store.close();
    await pool.end();
  });

  it("that the server ends in the middle of a put make it reject, and later calls work", async () => {
    const store = open(server.url());
    const version = await store.put("ended", bytes("a"), undefined);
    await admin.query("BEGIN");
    await admin.query("SELECT FROM kumiko_checkpoints WHERE version = $1 FOR UPDATE", [version]);
    const put = store.put("ended", bytes("b"), version).catch((error: unknown) => error);
    await waiting(1);
    await endOthers();
    expect(await put).toEqual(failed);
    await admin.query("ROLLBACK");
    expect(await textOf(store, "ended")).toBe("a");
    await store.put("ended", bytes("c"), version);
    expect(await textOf(store, "ended")).toBe("c");
  });

  it("that break in the middle of any call make it reject, and later calls work", async () => {
    const store = open(gateway.through(server.url()));
    const calls = [
      () => store.put("cut", bytes("b"), undefined),
      async () => store.append?.("before", bytes("b"), 1),
      () => store.get("cut"),
      () => store.delete("cut"),
      () => idsOf(store, ""),
      async () => store.isOwnerAlive?.("somebody"),
    ];
    await store.put("before", bytes("a"), undefined);
    for (const call of calls) {
      gateway.fallSilent();
      const outcome = call().catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 20));
      gateway.cut();
      expect(await outcome).toEqual(failed);
      await expect.poll(() => store.get("another"), patience).toBeUndefined();
    }
  });

  it("that end while nobody uses them are replaced", async () => {
    const store = open(server.url());
    await Promise.all(Array.from({ length: 10 }, (_, n) => store.put(`idle/${n}`, bytes("a"), undefined)));
    await endOthers();
    await expect.poll(() => idsOf(store, "idle/").catch(() => []), patience).toHaveLength(10);
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => textOf(store, `idle/${n}`)));
    expect(all).toEqual(Array(10).fill("a"));
  });

  it("are made when the server is there, however often it was not", async () => {
    const store = open(server.url());
    await server.crash();
    for (let round = 0; round < 2; round++)
      await expect(store.get("later")).rejects.toMatchObject({
        code: "STORE_FAILED",
        message: `PostgreSQL failed in opening the table "kumiko_checkpoints": connect ECONNREFUSED 127.0.0.1:${server.port}`,
      });
    await expect(store.put("later", bytes("a"), undefined)).rejects.toEqual(failed);
    await server.restart();
    await store.put("later", bytes("a"), undefined);
    expect(await textOf(store, "later")).toBe("a");
  });

  it.each([
    ["a wrong password", (url: URL) => Object.assign(url, { password: "tiger-in-the-tank" })],
    [
      "an unescaped slash in the password",
      (url: URL) => `postgres://kumiko:${url.port}/${password}@127.0.0.1/postgres`,
    ],
    ["a host that does not exist", (url: URL) => Object.assign(url, { hostname: "nowhere.invalid" })],
    [
      "a database that does not exist",
      (url: URL) => Object.assign(url, { pathname: `/${encodeURIComponent(password)}` }),
    ],
    ["no port", (url: URL) => url.href.replace(url.port, "no-port")],
  ])("cannot be made with %s, and no message tells the password", async (_what, change) => {
    const connectionString = String(change(new URL(server.url())));
    const error = await open(connectionString)
      .put("id", bytes("a"), undefined)
      .catch((thrown: unknown) => thrown);
    expect(error).toEqual(failed);
    const message = KumikoError.is(error) ? error.message : "";
    expect(message).toMatch(/^PostgreSQL failed in opening the table "kumiko_checkpoints": ./);
    for (const secret of [
      connectionString,
      password,
      "correct-horse",
      "battery",
      "tiger",
      encodeURIComponent(password),
    ])
      expect(message).not.toContain(secret);
  });
});
