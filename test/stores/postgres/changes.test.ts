import type { ClosableStore, RunIndex, RunRow } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Gateway } from "./gateway.js";
import { bytes } from "./rows.js";
import { describeWithPostgres, hookTimeout, openAdmin, type PostgresServer, patience, startServer } from "./server.js";

const ready: RunIndex = { status: "ready", graph: "order", since: 1 };

describeWithPostgres("changes of runs in a postgresStore", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const stores: ClosableStore[] = [];
  const open = (table?: string, url = server.url()) => {
    const store = postgresStore({ connectionString: url }, { table });
    stores.push(store);
    return store;
  };
  /** What a new listener hears, once it hears anything. */
  const listenTo = async (store: ClosableStore) => {
    const heard: (RunRow | undefined)[] = [];
    store.changes?.((row) => heard.push(row));
    await expect.poll(() => heard, patience).toEqual([undefined]);
    return heard;
  };

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
    await admin.query("CREATE SCHEMA app");
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  it("are told of with the row if the status is now another one, and not running", async () => {
    const [store, other] = [open(), open("public.kumiko_checkpoints")];
    const heard = await listenTo(other);
    const version = await store.put("a", bytes("a"), undefined, ready);
    const claimed = await store.put("a", bytes("a"), version, {
      ...ready,
      status: "running",
      owner: "host/7",
      since: 2,
    });
    const asked: RunIndex = {
      status: "waiting",
      graph: "order",
      since: 3.5,
      due: 9,
      threadId: "t\u0000",
      userId: "\ud83d",
    };
    const next = await store.append?.("a", bytes("a"), claimed, asked);
    await store.append?.("a", bytes("a"), next ?? 0, { ...asked, due: 10 });
    await store.put("b", bytes("b"), undefined, { ...ready, status: "running" });
    await store.put("c", bytes("c"), undefined, ready);
    await expect.poll(() => heard.length, patience).toBe(4);
    expect(heard.slice(1)).toStrictEqual([
      { id: "a", ...ready },
      { id: "a", ...asked },
      { id: "c", ...ready },
    ]);
  });

  it("of another table are not told of", async () => {
    const store = open("app.others");
    const heard = await listenTo(store);
    await open().put("elsewhere", bytes("a"), undefined, ready);
    await open("app.others").put("here", bytes("a"), undefined, ready);
    await expect.poll(() => heard.slice(1), patience).toStrictEqual([{ id: "here", ...ready }]);
  });

  it("whose rows are too long for a notification are told of without the row", async () => {
    const store = open();
    const heard = await listenTo(store);
    await store.put("long", bytes("a"), undefined, { ...ready, graph: "g".repeat(8_000) });
    await expect.poll(() => heard, patience).toEqual([undefined, undefined]);
  });

  it("that a closed store has made just before are told of", async () => {
    const store = open();
    const heard = await listenTo(store);
    const other = open();
    await Promise.all(Array.from({ length: 50 }, (_, at) => other.put(`closing/${at}`, bytes("a"), undefined, ready)));
    await other.close();
    await expect.poll(() => heard.length, patience).toBe(51);
  });

  it("are told of again after the connection has broken, first without a row", async () => {
    const store = open();
    const heard = await listenTo(store);
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    await expect.poll(() => heard, patience).toEqual([undefined, undefined]);
    await open().put("after", bytes("a"), undefined, ready);
    await expect.poll(() => heard.at(-1)?.id, patience).toBe("after");
  });

  it("are not told of behind a pooler, and no longer once a listener has ended", async () => {
    const gateway = await Gateway.open(server.port, { renumbers: true });
    const [pooled, store] = [open(undefined, gateway.through(server.url())), open()];
    const heard: unknown[] = [];
    pooled.changes?.((row) => heard.push(row));
    const end = store.changes?.((row) => heard.push(row));
    end?.();
    const others = await listenTo(store);
    await pooled.put("pooled", bytes("a"), undefined, ready);
    await expect.poll(() => others.at(-1)?.id, patience).toBe("pooled");
    expect(heard).toEqual([]);
    await pooled.close();
    await gateway.close();
  });

  it("are what touches indexes: saves of a task update none", async () => {
    const store = open("app.hot");
    const running: RunIndex = { ...ready, status: "running" };
    let version = await store.put("a", bytes("a"), undefined, running);
    const updates = async () => {
      const { rows } = await admin.query(
        "SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'hot'",
      );
      return rows[0] as { all: number; hot: number };
    };
    for (let left = 20; left > 0; left--)
      version = (await store.append?.("a", bytes("b"), version, { ...running })) ?? 0;
    await store.close();
    await expect.poll(updates, patience).toEqual({ all: 20, hot: 20 });
  });
});
