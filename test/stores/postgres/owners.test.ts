import type { ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { parseProcessOwner, processOwner } from "../../../src/checkpoint/journal/process-owner.js";
import { ClientProcess } from "./client-process.js";
import { Gateway } from "./gateway.js";
import { bytes } from "./rows.js";
import { describeWithPostgres, hookTimeout, openAdmin, type PostgresServer, patience, startServer } from "./server.js";

describeWithPostgres("isOwnerAlive of a postgresStore", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  let store: ClosableStore;
  const clients: ClientProcess[] = [];

  /** A process that has written, and lives until it is killed. It says that it runs on this host, when one is named. */
  const startOwner = async ({ host, url = server.url() }: { readonly host?: string; readonly url?: string } = {}) => {
    const client = new ClientProcess(url, ["own", crypto.randomUUID()], host);
    clients.push(client);
    return { client, owner: await client.says(1) };
  };
  const isAlive = async (owner: string) => store.isOwnerAlive?.(owner);
  /** The server notices within moments that a process was killed. */
  const becomesGone = (owner: string) => expect.poll(() => isAlive(owner), patience).toBe(false);
  const locks = async () =>
    (await admin.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted")).rowCount;

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
    store = postgresStore({ connectionString: server.url() });
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.kill()));
    await expect.poll(locks, patience).toBe(0);
  });
  afterAll(async () => {
    await store?.close();
    await admin?.end();
    await server?.stop();
  });

  it("is true of this process, and of one on this host until it is killed", async () => {
    expect(await isAlive(processOwner())).toBe(true);
    const { client, owner } = await startOwner();
    expect(parseProcessOwner(owner)?.host).toBe(parseProcessOwner(processOwner())?.host);
    expect(await isAlive(owner)).toBe(true);
    await client.kill();
    expect(await isAlive(owner)).toBe(false);
  });

  it("is true of a process on this host, also when it cannot reach the server any more", async () => {
    const gateway = await Gateway.open(server.port);
    const { owner } = await startOwner({ url: gateway.through(server.url()) });
    await gateway.close();
    await expect.poll(locks, patience).toBe(0);
    expect(await isAlive(owner)).toBe(true);
  });

  it("is true of a process on another host until it is killed", async () => {
    const { client, owner } = await startOwner({ host: "elsewhere" });
    expect(parseProcessOwner(owner)?.host).toBe("elsewhere");
    expect(await isAlive(owner)).toBe(true);
    await client.kill();
    await becomesGone(owner);
    expect(await isAlive(owner)).toBe(false);
  });

  it("is false of a process on another host that closed its store", async () => {
    const { client, owner } = await startOwner({ host: "elsewhere" });
    await client.says(2);
    client.go();
    await client.says(3);
    await becomesGone(owner);
  });

  it("is true of a process on another host that lost its connections a moment ago", async () => {
    const { owner } = await startOwner({ host: "elsewhere" });
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    await expect.poll(() => isAlive(owner).catch(() => "not connected"), patience).toBe(true);
  });

  it("is true of a process on another host when the server was restarted, and false once it is killed", async () => {
    const { client, owner } = await startOwner({ host: "elsewhere" });
    await server.crash();
    await expect(isAlive(owner)).rejects.toMatchObject({ code: "STORE_FAILED" });
    await server.restart();
    expect(await isAlive(owner)).toBe(true);
    await client.kill();
    await becomesGone(owner);
  });

  it("is true of a process on another host that came here through a pooler, also when it is killed: nobody can know", async () => {
    const pooler = await Gateway.open(server.port, { renumbers: true });
    const { client, owner } = await startOwner({ host: "elsewhere", url: pooler.through(server.url()) });
    expect(await locks()).toBe(0);
    await client.kill();
    await pooler.close();
    expect(await isAlive(owner)).toBe(true);
  });

  it("is true of owners that never wrote here", async () => {
    const { owner } = await startOwner({ host: "elsewhere" });
    for (const name of ["", "somebody", "process/0123456789abcdef0123456789abcdef", owner.replace(/\d+$/, "1")])
      expect(await isAlive(name)).toBe(true);
  });

  it("does not know the writers of another table", async () => {
    const { client, owner } = await startOwner({ host: "elsewhere" });
    await client.kill();
    await expect.poll(locks, patience).toBe(0);
    const other = postgresStore({ connectionString: server.url() }, { table: "other" });
    await other.put("id", bytes("a"), undefined);
    expect(await other.isOwnerAlive?.(owner)).toBe(true);
    await other.close();
  });
});
