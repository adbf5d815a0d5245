import { type sqliteStore, sqliteVectors } from "kumiko/sqlite";
import { describe, expect, it } from "vitest";
import { bytes, NewFiles } from "./new-files.js";
import { makeOldFile, openRaw } from "./old-file.js";

const files = new NewFiles();
const newFile = () => files.next();
const store = (...args: Parameters<typeof sqliteStore>) => files.store(...args);
const vectors = (...args: Parameters<typeof sqliteVectors>) => files.closing(sqliteVectors(...args));
/** The same file without the store. */
const raw = (file: string) => files.closing(openRaw(file));
const messageOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.message);

const tablesOf = (file: string) =>
  raw(file).use((connection) =>
    connection.query("SELECT name, sql FROM sqlite_master ORDER BY name").map((row) => ({ ...row })),
  );
const layoutsOf = (file: string) =>
  raw(file).use((connection) =>
    connection.query("SELECT part, version FROM kumiko_schema ORDER BY part").map((row) => ({ ...row })),
  );

describe("a file with tables of checkpoints of an older layout", () => {
  it("is STORE_FAILED: the message names the file and the tables to drop", async () => {
    const file = newFile();
    await makeOldFile(file, { a: "first" });
    const own = store(file);
    for (const call of [
      () => own.get("a"),
      () => own.put("b", bytes("b"), undefined),
      () => own.list("")[Symbol.asyncIterator]().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: "STORE_FAILED",
        message:
          `The SQLite store ${JSON.stringify(file)} was written by an older version of kumiko: its tables of checkpoints have ` +
          "layout 1, but this version uses layout 3. Nothing was changed. Use another file, or drop the tables with what they hold: " +
          "DROP TABLE kumiko_checkpoint_versions; DROP TABLE kumiko_checkpoints; " +
          "DELETE FROM kumiko_schema WHERE part = 'checkpoints';",
      });
    }
  });

  it("stays as it is", async () => {
    const file = newFile();
    await makeOldFile(file, { a: "first" });
    const before = await tablesOf(file);
    await messageOf(store(file).get("a"));
    expect(await tablesOf(file)).toEqual(before);
    expect(await raw(file).use((connection) => connection.query("SELECT data FROM kumiko_checkpoints"))).toHaveLength(
      1,
    );
  });

  it("works again after the statements of the message, and keeps the tables of others", async () => {
    const file = newFile();
    await makeOldFile(file, { a: "first" });
    await raw(file).use((connection) => connection.run("CREATE TABLE orders (id); INSERT INTO orders VALUES (7)"));
    const index = vectors(file);
    await index.createIndex({ indexName: "docs", dimension: 2 });
    const own = store(file);
    const [, statements = ""] = (await messageOf(own.get("a"))).split("hold: ");
    await raw(file).use((connection) => connection.run(statements));
    await own.put("a", bytes("second"), undefined);
    expect((await own.get("a"))?.data).toEqual(bytes("second"));
    expect(await index.listIndexes()).toEqual(["docs"]);
    expect(await raw(file).use((connection) => connection.query("SELECT id FROM orders"))).toHaveLength(1);
    expect(await layoutsOf(file)).toEqual([
      { part: "checkpoints", version: 3 },
      { part: "vectors", version: 1 },
    ]);
  });

  it("still holds vectors", async () => {
    const file = newFile();
    await makeOldFile(file, { a: "first" });
    const index = vectors(file);
    await index.createIndex({ indexName: "docs", dimension: 2 });
    expect(await index.listIndexes()).toEqual(["docs"]);
    expect(await layoutsOf(file)).toEqual([
      { part: "checkpoints", version: 1 },
      { part: "vectors", version: 1 },
    ]);
  });
});

describe("a file with tables of vectors of another layout", () => {
  /** A file with two indexes, and a checkpoint. */
  async function fileOf(layout: number): Promise<string> {
    const file = newFile();
    const made = sqliteVectors(file);
    await made.createIndex({ indexName: "docs", dimension: 2 });
    await made.createIndex({ indexName: "words", text: true });
    await made.close();
    await store(file).put("a", bytes("first"), undefined);
    await raw(file).use((connection) =>
      connection.run(`UPDATE kumiko_schema SET version = ${layout} WHERE part = 'vectors'`),
    );
    return file;
  }

  it("is STORE_FAILED: the message names the tables to drop, and checkpoints are still there", async () => {
    const file = await fileOf(0);
    const message = await messageOf(vectors(file).listIndexes());
    expect(message).toContain("its tables of vectors have layout 0, but this version uses layout 1");
    const [, statements = ""] = message.split("hold: ");
    expect(statements).toBe(
      "DROP TABLE kumiko_vector_indexes; DROP TABLE kumiko_vectors_1_rows; DROP TABLE kumiko_vectors_1_terms; " +
        "DROP TABLE kumiko_vectors_1_vectors; DROP TABLE kumiko_vectors_2_rows; DROP TABLE kumiko_vectors_2_terms; " +
        "DELETE FROM kumiko_schema WHERE part = 'vectors';",
    );
    expect((await store(file).get("a"))?.data).toEqual(bytes("first"));
  });

  it("is STORE_FAILED if a newer kumiko made it, and is left alone", async () => {
    const file = await fileOf(2);
    await expect(vectors(file).listIndexes()).rejects.toMatchObject({
      code: "STORE_FAILED",
      message:
        `The SQLite store ${JSON.stringify(file)} was written by a newer version of kumiko: its tables of vectors have layout 2, ` +
        "but this version uses layout 1. Nothing was changed. Update kumiko here, or use another file.",
    });
    expect(await layoutsOf(file)).toContainEqual({ part: "vectors", version: 2 });
  });
});
