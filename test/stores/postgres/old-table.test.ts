import { beforeAll, expect, it } from "vitest";
import { appendTo, bytes, entriesOf, oldTable, textOf } from "./rows.js";
import { describeWithPostgres } from "./server.js";
import { TableServer } from "./table-server.js";

describeWithPostgres("a table of PostgreSQL from before there were entries", () => {
  const database = new TableServer();
  beforeAll(async () => {
    await database.admin.query('CREATE ROLE "Some body"');
  });

  it("is brought up to date by the first call, and keeps its rows and versions", async () => {
    await database.admin.query(oldTable("app.old"));
    const store = database.open("app.old");
    expect(await store.get("a")).toEqual({ data: bytes("first"), version: 1 });
    const version = await appendTo(store, "a", "entry", 1);
    expect(version).toBeGreaterThan(2);
    expect(await store.get("a")).toEqual({ data: bytes("first"), appended: [bytes("entry")], version });
    expect(await store.put("b", bytes("third"), 2)).toBeGreaterThan(version);
  });

  it("is one without the comment that names its layout, too", async () => {
    await database.admin.query(`${oldTable("bare")} COMMENT ON TABLE bare IS NULL`);
    const store = database.open("bare");
    await appendTo(store, "a", "entry", 1);
    expect(await entriesOf(store, "a")).toEqual(["entry"]);
    await database.admin.query("COMMENT ON TABLE bare IS NULL");
    expect(await entriesOf(database.open("bare"), "a")).toEqual(["entry"]);
  });

  it("is changed once by many stores that are used at once, whatever their transactions are", async () => {
    const urls = [database.url, `${database.url}?options=-c%20default_transaction_isolation%3Dserializable`];
    for (let round = 0; round < 5; round++) {
      await database.admin.query(oldTable(`old_${round}`));
      const many = Array.from({ length: 10 }, (_, n) => database.open(`old_${round}`, urls[n % 2]));
      await Promise.all(many.map(async (store, n) => store.put(`from ${n}`, bytes("a"), undefined)));
      await Promise.all(many.map(async (store) => expect(await textOf(store, "a")).toBe("first")));
      await database.close();
    }
  });

  it("makes a process of the older library fail that has looked at it already", async () => {
    await database.admin.query(oldTable("watched"));
    const older = () =>
      database.admin.query("SELECT version::text, encode(data, 'base64') AS base64 FROM watched WHERE id = 'a'");
    expect((await older()).rowCount).toBe(1);
    await appendTo(database.open("watched"), "a", "entry", 1);
    await expect(older()).rejects.toThrow('column "data" does not exist');
  });

  it("lets whoever may use it use its entries", async () => {
    await database.admin.query(oldTable("app.granted"));
    await database.admin.query(
      'GRANT SELECT, INSERT, UPDATE, DELETE ON app.granted TO guest; GRANT SELECT ON app.granted TO "Some body", PUBLIC',
    );
    await appendTo(database.open("app.granted"), "a", "one", 1);
    const store = database.open("app.granted", database.guestUrl);
    const found = await store.get("a");
    await appendTo(store, "a", "two", found?.version ?? 0);
    expect(await entriesOf(store, "a")).toEqual(["one", "two"]);
    const rights = "SELECT has_table_privilege('Some body', 'app.granted_entries', $1) AS may";
    expect((await database.admin.query(rights, ["SELECT"])).rows).toEqual([{ may: true }]);
    expect((await database.admin.query(rights, ["DELETE"])).rows).toEqual([{ may: false }]);
  });

  it("needs its owner: the error for others has the statement, and they go on once that was run", async () => {
    await database.admin.query(oldTable("app.foreign"));
    await database.admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.foreign TO guest");
    const store = database.open("app.foreign", database.guestUrl);
    await expect(store.get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(
        /must be owner of table foreign\. The table "app"\."foreign" was created by an older version .* Have its owner, .* run:\nDO /,
      ),
    });
    const message = await store.get("a").catch((error: Error) => error.message);
    await database.admin.query(String(message).split("run:\n")[1] ?? "");
    await appendTo(store, "a", "entry", 1);
    expect(await entriesOf(store, "a")).toEqual(["entry"]);
  });

  it("stays as it was when it cannot be changed as a whole", async () => {
    await database.admin.query(oldTable("stuck"));
    await database.admin.query("CREATE VIEW stuck_entries AS SELECT 1 AS one");
    await database.admin.query("ALTER TABLE stuck ADD COLUMN entries text");
    await expect(database.open("stuck").get("a")).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect((await database.admin.query("SELECT data FROM stuck")).rowCount).toBe(2);
  });
});
