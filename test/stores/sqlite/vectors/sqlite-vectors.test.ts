import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Filter, VectorStore } from "kumiko/rag";
import { sqliteStore, sqliteVectors } from "kumiko/sqlite";
import { vectorStoreConformance } from "kumiko/testing";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { SqliteDatabase } from "../../../../src/stores/sqlite/database.js";
import { findVec } from "../../../../src/stores/sqlite/vectors/load-vec.js";
import { expectEnglishStems } from "../../../rag/vectors/english-stems.js";
import { expectSameAsMemory } from "../../../rag/vectors/same-as-memory.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-sqlite-vectors-"));
const open: VectorStore[] = [];
let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const store = (...[file = newFile(), ...options]: Partial<Parameters<typeof sqliteVectors>>) => {
  const made = sqliteVectors(file, ...options);
  open.push(made);
  return made;
};

afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("sqliteVectors in a file", () => {
  it.each(vectorStoreConformance(() => sqliteVectors(join(folder, "conformance.db"))))("$name", ({ run }) => run());
});

describe("sqliteVectors in memory", () => {
  it.each(vectorStoreConformance(() => sqliteVectors(":memory:")))("$name", ({ run }) => run());
});

describe("sqliteVectors", () => {
  it("finds what memoryVectors finds, whatever the entries and filters", { timeout: 60_000 }, async () => {
    await expectSameAsMemory(store(":memory:"), { numRuns: 100 });
  });

  it("finds other forms of an English word where the index has stems", async () => {
    const file = newFile();
    await expectEnglishStems(store(file));
    const found = await store(file).query({ indexName: "stems", queryText: "filings" });
    expect(found).toMatchObject([{ id: "file" }]);
  });

  it("finds everything again when the file is opened again", async () => {
    const file = newFile();
    const first = sqliteVectors(file);
    await first.createIndex({ indexName: "docs", dimension: 2, metric: "euclidean" });
    await first.upsert({
      indexName: "docs",
      ids: ["a"],
      vectors: [[3, 4]],
      documents: ["Nails"],
      metadata: [{ n: 1 }],
    });
    await first.close();
    const second = store(file);
    expect(await second.describeIndex("docs")).toEqual({ dimension: 2, metric: "euclidean", text: true, count: 1 });
    expect(await second.query({ indexName: "docs", queryVector: [0, 0], includeVector: true })).toEqual([
      { id: "a", score: 1 / 6, document: "Nails", metadata: { n: 1 }, vector: [3, 4] },
    ]);
    expect(await second.query({ indexName: "docs", queryText: "nails" })).toMatchObject([{ id: "a" }]);
  });

  it("orders entries by their ids when more of them are equally near than it asks for", async () => {
    const own = store(":memory:");
    for (const metric of ["cosine", "euclidean", "dotproduct"] as const) {
      await own.createIndex({ indexName: metric, dimension: 2, metric });
      const ids = Array.from({ length: 2_500 }, (_, index) => `id${String(2_499 - index).padStart(4, "0")}`);
      await own.upsert({ indexName: metric, ids, vectors: ids.map(() => [1, 1]) });
      const found = await own.query({ indexName: metric, queryVector: [1, 0], topK: 3 });
      expect(found.map(({ id }) => id)).toEqual(["id0000", "id0001", "id0002"]);
      expect(await own.query({ indexName: metric, queryVector: [1, 0], topK: 4_096 })).toHaveLength(2_500);
    }
  });

  it("keeps the metric where vec0 has none, and more dimensions than it takes", async () => {
    const own = store(":memory:");
    await own.createIndex({ indexName: "long", dimension: 9_000 });
    const vector = (value: number) => Array.from({ length: 9_000 }, (_, index) => (index === 0 ? value : 1));
    await own.upsert({ indexName: "long", ids: ["a", "b"], vectors: [vector(1), vector(90)] });
    const [found] = await own.query({ indexName: "long", queryVector: vector(80), topK: 1 });
    expect(found?.id).toBe("b");
  });

  it("refuses vectors whose cosine needs more than single precision, and writes nothing", async () => {
    const own = store(":memory:");
    await own.createIndex({ indexName: "docs", dimension: 2 });
    for (const vector of [
      [1e20, 1],
      [1e-20, 0],
    ]) {
      const call = own.upsert({ indexName: "docs", ids: ["a", "b"], vectors: [[1, 0], vector] });
      await expect(call).rejects.toMatchObject({ code: "INVALID_VECTOR", message: expect.stringContaining('"b"') });
      await expect(own.query({ indexName: "docs", queryVector: vector })).rejects.toMatchObject({
        code: "INVALID_VECTOR",
      });
    }
    expect((await own.describeIndex("docs")).count).toBe(0);
  });

  it("takes filters and questions with thousands of parts", async () => {
    const own = store(":memory:");
    await own.createIndex({ indexName: "docs", dimension: 1 });
    await own.upsert({ indexName: "docs", ids: ["a"], vectors: [[1]], documents: ["last"], metadata: [{ n: 4_999 }] });
    const find = async (filter: Filter) =>
      (await own.query({ indexName: "docs", queryVector: [1], filter })).map(({ id }) => id);
    const numbers = Array.from({ length: 5_000 }, (_, index) => index);
    expect(await find({ $or: numbers.map((n) => ({ n })) })).toEqual(["a"]);
    expect(await find({ $and: numbers.map((n) => ({ n: { $gte: n } })) })).toEqual(["a"]);
    expect(await find({ n: { $in: Array.from({ length: 100_000 }, (_, index) => index) } })).toEqual(["a"]);
    const queryText = `last ${Array.from({ length: 50_000 }, (_, index) => `word${index}`).join(" ")}`;
    expect(await own.query({ indexName: "docs", queryText })).toHaveLength(1);
  });

  it("loads no other extension afterwards", async () => {
    const database = new SqliteDatabase({
      store: "sqliteVectors",
      file: ":memory:",
      location: ":memory:",
      synchronous: "full",
      patienceSeconds: 1,
      findExtension: findVec,
      prepare: () => undefined,
    });
    const load = database.use((connection) => connection.query("SELECT load_extension('/tmp/other')"));
    await expect(load).rejects.toMatchObject({ message: expect.stringContaining("not authorized") });
    await database.close();
  });

  it("may share its file with checkpoints", async () => {
    const file = newFile();
    const checkpoints = sqliteStore(file);
    const own = store(file);
    await checkpoints.put("a", new Uint8Array([1]), undefined);
    await own.createIndex({ indexName: "docs", dimension: 1 });
    expect((await checkpoints.get("a"))?.data).toEqual(new Uint8Array([1]));
    await checkpoints.close();
  });

  it("refuses a file of another kind, paths and options that are none", async () => {
    await expect(store(join(folder, "no", "folder.db")).listIndexes()).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(() => sqliteVectors("")).toThrow("sqliteVectors needs the path of a file");
    expect(() => sqliteVectors("a.db", JSON.parse('{ "synchronous": "full" }'))).toThrow(
      'Unknown option "synchronous"',
    );
    expect(() => sqliteVectors("a.db", JSON.parse('{ "driver": "bun" }'))).toThrow('"node:sqlite" or "libsql"');
  });
});
