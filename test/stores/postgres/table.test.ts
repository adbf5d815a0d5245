import { expect, it } from "vitest";
import { appendTo, bytes, entriesOf, idsOf, textOf } from "./rows.js";
import { describeWithPostgres } from "./server.js";
import { TableServer } from "./table-server.js";

describeWithPostgres("the table of a postgresStore", () => {
  const database = new TableServer();

  it("is made by one of many stores that are used at once for the first time", async () => {
    for (let round = 0; round < 5; round++) {
      const many = Array.from({ length: 10 }, () => database.open(`round_${round}`));
      await Promise.all(many.map((store, n) => store.put(`from ${n}`, bytes("a"), undefined)));
      expect(await idsOf(database.open(`round_${round}`), "")).toHaveLength(10);
      await database.close();
    }
  });

  it("stands in the schema that was named, under exactly this name", async () => {
    await database.open("app.Läufe_2").put("here", bytes("a"), undefined);
    const { rows } = await database.admin.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'app' ORDER BY tablename",
    );
    expect(rows).toEqual([{ tablename: "Läufe_2" }, { tablename: "Läufe_2_entries" }]);
  });

  it("has rows of its own", async () => {
    await database.open("one").put("id", bytes("one"), undefined);
    await database.open("app.one").put("id", bytes("another"), undefined);
    expect(await textOf(database.open("one"), "id")).toBe("one");
    expect(await textOf(database.open("two"), "id")).toBeUndefined();
  });

  it("is made again by a later call when somebody drops it", async () => {
    const store = database.open("dropped");
    await store.put("id", bytes("a"), undefined);
    await database.admin.query("DROP TABLE dropped");
    await expect(store.get("id")).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await store.get("id")).toBeUndefined();
  });

  it("needs only the rights to read and write it, once it is there", async () => {
    const store = database.open("app.shared", database.guestUrl);
    await expect(store.put("id", bytes("a"), undefined)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(
        /permission denied for schema app\. Have a user .* run:\nCREATE TABLE "app"."shared"/,
      ),
    });
    const message = await store.get("id").catch((error: Error) => error.message);
    await database.admin.query(String(message).split("run:\n")[1] ?? "");
    await database.admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.shared, app.shared_entries TO guest");
    const version = await store.put("id", bytes("a"), undefined);
    await store.put("id", bytes("b"), version);
    expect(await textOf(store, "id")).toBe("b");
    await store.delete("id");
    expect(await idsOf(store, "")).toEqual([]);
  });

  it("is one that a user may read and write who cannot read its entries: the error names them", async () => {
    await database.open("app.half").get("id");
    await database.admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.half TO guest");
    await expect(database.open("app.half", database.guestUrl).get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("permission denied for table half_entries"),
    });
  });

  it("may have the longest name there is, beside another one that begins alike", async () => {
    const names = [`${"ä".repeat(31)}a`, `${"ä".repeat(31)}b`];
    for (const name of names) {
      const store = database.open(name);
      await appendTo(store, "id", name, await store.put("id", bytes("base"), undefined));
    }
    for (const name of names) expect(await entriesOf(database.open(name), "id")).toEqual([name]);
  });

  it("never shows entries of a table that was dropped, or emptied, whose versions begin again", async () => {
    for (const change of ["DROP TABLE again", "TRUNCATE again RESTART IDENTITY"]) {
      const store = database.open("again");
      await appendTo(store, "id", "old", await store.put("id", bytes("base"), undefined));
      await database.admin.query(change);
      await store.get("id").catch(() => undefined);
      const version = await store.put("id", bytes("new"), undefined);
      expect(await entriesOf(store, "id")).toEqual([]);
      await appendTo(store, "id", "new", version);
      expect(await entriesOf(store, "id")).toEqual(["new"]);
      await store.delete("id");
    }
  });

  it("is left alone when a newer version of the library made it", async () => {
    await database.open("newer").get("id");
    await database.admin.query("COMMENT ON TABLE newer IS 'Checkpoints of kumiko, layout 4'");
    await expect(database.open("newer").get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message:
        'The table "newer" was created by a newer version of kumiko: it has layout 4, but this version uses layout 3. ' +
        "Nothing was changed. Update kumiko, or use another table.",
    });
  });

  it("is not made in a schema that does not exist, and the error names it", async () => {
    await expect(database.open("nowhere.runs").get("id")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining('schema "nowhere" does not exist'),
    });
  });

  it("gets no version twice, also after it was empty", async () => {
    const store = database.open("versions");
    const first = await store.put("id", bytes("a"), undefined);
    await store.delete("id");
    await database.admin.query("VACUUM FULL versions");
    expect(await store.put("id", bytes("a"), undefined)).toBeGreaterThan(first);
  });
});
