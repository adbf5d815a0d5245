import { expect, it } from "vitest";
import { bytes, oldTable, textOf } from "./rows.js";
import { describeWithPostgres } from "./server.js";
import { TableServer } from "./table-server.js";

describeWithPostgres("a table of PostgreSQL with an older layout", () => {
  const database = new TableServer();
  const messageOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.message);

  it("is STORE_FAILED: the message names the tables to drop", async () => {
    await database.admin.query(oldTable("app.old"));
    const store = database.open("app.old");
    for (const call of [
      () => store.get("a"),
      () => store.put("c", bytes("third"), undefined),
      () => store.list("")[Symbol.asyncIterator]().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: "STORE_FAILED",
        message:
          'The table "app"."old" was created by an older version of kumiko: it has layout 1, but this version uses layout 3. ' +
          "Nothing was changed. Use another table, or drop this one with what it holds: " +
          'DROP TABLE IF EXISTS "app"."old", "app"."old_entries";',
      });
    }
  });

  it("stays as it is", async () => {
    await database.admin.query(oldTable("kept"));
    await messageOf(database.open("kept").get("a"));
    expect((await database.admin.query("SELECT id, version, data, session_lock FROM kept")).rowCount).toBe(2);
    expect((await database.admin.query("SELECT to_regclass('kept_entries') AS entries")).rows).toEqual([
      { entries: null },
    ]);
  });

  it("is made anew after the statement of the message", async () => {
    await database.admin.query(oldTable("app.again"));
    const store = database.open("app.again");
    const [, statement = ""] = (await messageOf(store.get("a"))).split("holds: ");
    await database.admin.query(statement);
    expect(await store.get("a")).toBeUndefined();
    await store.put("a", bytes("new"), undefined);
    expect(await textOf(store, "a")).toBe("new");
  });

  it("is refused without the comment that names its layout, too; one of this layout is used", async () => {
    await database.admin.query(`${oldTable("bare")} COMMENT ON TABLE bare IS NULL`);
    await expect(database.open("bare").get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message:
        'The table "bare" has no layout of kumiko, but this version uses layout 3. Nothing was changed. ' +
        'Use another table, or drop this one if kumiko created it: DROP TABLE IF EXISTS "bare", "bare_entries";',
    });
    await database.open("copied").put("a", bytes("a"), undefined);
    await database.admin.query("COMMENT ON TABLE copied IS NULL");
    expect(await textOf(database.open("copied"), "a")).toBe("a");
  });

  it("does not stand in the way of another table in the same database", async () => {
    await database.admin.query(oldTable("one"));
    await database.open("another").put("a", bytes("a"), undefined);
    expect(await messageOf(database.open("one").get("a"))).toContain("layout 1");
    expect(await textOf(database.open("another"), "a")).toBe("a");
  });
});
