import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ClosableStore } from "../../../src/checkpoint/checkpoint-store.js";
import { postgresStore } from "../../../src/stores/postgres/postgres-store.js";
import { appendTo, bytes, entriesOf, idsOf, textOf } from "./rows.js";
import { describeWithPostgres, hookTimeout, openAdmin, type PostgresServer, password, startServer } from "./server.js";

describeWithPostgres("the table of a postgresStore", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const stores: ClosableStore[] = [];
  const open = (table?: string, connectionString = server.url()) => {
    const store = postgresStore({ connectionString }, { table });
    stores.push(store);
    return store;
  };
  /** The address of somebody who may log in, and nothing else. */
  const guest = (): string => {
    const url = new URL(server.url());
    url.username = "guest";
    return url.href;
  };

  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
    await admin.query(`CREATE ROLE guest LOGIN PASSWORD '${password}'`);
    await admin.query("CREATE SCHEMA app");
    await admin.query("GRANT USAGE ON SCHEMA app TO guest");
  }, hookTimeout);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  it("is made by one of many stores that are used at once for the first time", async () => {
    for (let round = 0; round < 5; round++) {
      const many = Array.from({ length: 10 }, () => open(`round_${round}`));
      await Promise.all(many.map((store, n) => store.put(`from ${n}`, bytes("a"), undefined)));
      expect(await idsOf(open(`round_${round}`), "")).toHaveLength(10);
      await Promise.all(stores.splice(0).map((store) => store.close()));
    }
  });

  it("stands in the schema that was named, under exactly this name", async () => {
    await open("app.Läufe_2").put("here", bytes("a"), undefined);
    const { rows } = await admin.query("SELECT tablename FROM pg_tables WHERE schemaname = 'app' ORDER BY tablename");
    expect(rows).toEqual([{ tablename: "Läufe_2" }, { tablename: "Läufe_2_entries" }]);
  });

  it("has rows of its own", async () => {
    await open("one").put("id", bytes("one"), undefined);
    await open("app.one").put("id", bytes("another"), undefined);
    expect(await textOf(open("one"), "id")).toBe("one");
    expect(await textOf(open("two"), "id")).toBeUndefined();
  });

  it("is made again by a later call when somebody drops it", async () => {
    const store = open("dropped");
    await store.put("id", bytes("a"), undefined);
    await admin.query("DROP TABLE dropped");
    await expect(store.get("id")).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await store.get("id")).toBeUndefined();
  });

  it("needs only the rights to read and write it, once it is there", async () => {
    const store = open("app.shared", guest());
    await expect(store.put("id", bytes("a"), undefined)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(
        /permission denied for schema app\. Let a user .* run:\nCREATE TABLE "app"."shared"/,
      ),
    });
    const message = await store.get("id").catch((error: Error) => error.message);
    await admin.query(String(message).split("run:\n")[1] ?? "");
    await admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.shared, app.shared_entries TO guest");
    const version = await store.put("id", bytes("a"), undefined);
    await store.put("id", bytes("b"), version);
    expect(await textOf(store, "id")).toBe("b");
    await store.delete("id");
    expect(await idsOf(store, "")).toEqual([]);
  });

  it("is one that a user may read and write who cannot read its entries: the error names them", async () => {
    await open("app.half").get("id");
    await admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.half TO guest");
    await expect(open("app.half", guest()).get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("permission denied for table half_entries"),
    });
  });

  it("may have the longest name there is, beside another one that begins alike", async () => {
    const names = [`${"ä".repeat(31)}a`, `${"ä".repeat(31)}b`];
    for (const name of names) {
      const store = open(name);
      await appendTo(store, "id", name, await store.put("id", bytes("base"), undefined));
    }
    for (const name of names) expect(await entriesOf(open(name), "id")).toEqual([name]);
  });

  it("never shows entries of a table that was dropped, or emptied, whose versions begin again", async () => {
    for (const change of ["DROP TABLE again", "TRUNCATE again RESTART IDENTITY"]) {
      const store = open("again");
      await appendTo(store, "id", "old", await store.put("id", bytes("base"), undefined));
      await admin.query(change);
      await store.get("id").catch(() => undefined);
      const version = await store.put("id", bytes("new"), undefined);
      expect(await entriesOf(store, "id")).toEqual([]);
      await appendTo(store, "id", "new", version);
      expect(await entriesOf(store, "id")).toEqual(["new"]);
      await store.delete("id");
    }
  });

  it("is left alone when a newer version of the library made it", async () => {
    await open("newer").get("id");
    await admin.query("COMMENT ON TABLE newer IS 'Checkpoints of kumiko, layout 3'");
    await expect(open("newer").get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message:
        'The table "newer" was made by a newer version of kumiko (layout 3; this one knows 2). ' +
        "Update kumiko, or name another table.",
    });
  });

  it("is not made in a schema that does not exist, and the error names it", async () => {
    await expect(open("nowhere.runs").get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining('schema "nowhere" does not exist'),
    });
  });

  it("gets no version twice, also after it was empty", async () => {
    const store = open("versions");
    const first = await store.put("id", bytes("a"), undefined);
    await store.delete("id");
    await admin.query("VACUUM FULL versions");
    expect(await store.put("id", bytes("a"), undefined)).toBeGreaterThan(first);
  });
});
