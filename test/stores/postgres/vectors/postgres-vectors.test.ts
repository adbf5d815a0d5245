import { type PostgresVectorsOptions, postgresVectors } from "kumiko/postgres";
import type { QueryOptions, VectorStore } from "kumiko/rag";
import { vectorStoreConformance } from "kumiko/testing";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { expectEnglishStems } from "../../../rag/vectors/english-stems.js";
import { expectSameAsMemory } from "../../../rag/vectors/same-as-memory.js";
import { describeWithPgvector, findPgvector } from "../pgvector.js";
import { hookTimeout, openAdmin, type PostgresServer, patience, startServer } from "../server.js";

describeWithPgvector(await findPgvector(), "postgresVectors", (programs) => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const stores: VectorStore[] = [];
  const open = (options?: PostgresVectorsOptions, database?: string) => {
    const store = postgresVectors({ connectionString: server.url(database) }, options);
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await startServer(programs);
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
    it.each(vectorStoreConformance(() => open()))("$name", ({ run }) => run());
  });

  describe("with graphs of neighbours", () => {
    it.each(vectorStoreConformance(() => open({ ann: "hnsw" })))("$name", ({ run }) => run());
  });

  it("finds what memoryVectors finds, whatever the entries and filters", { timeout: 120_000 }, async () => {
    await expectSameAsMemory(open(), { numRuns: 50, isSingle: true });
  });

  it("finds other forms of an English word where the index has stems", async () => {
    await expectEnglishStems(open());
    expect(await open().query({ indexName: "stems", queryText: "of the" })).toEqual([]); // left out by "english"
  });

  // building the graph takes minutes where others use the machine
  const slowly = { timeout: 300_000 };
  it("finds at least 95 of 100 nearest by its graph, also with a filter, and all when it has to", slowly, async () => {
    const store = open({ ann: "hnsw" });
    const { ids, vectors, metadata } = randomEntries(8_000, 64);
    const indexName = "graph";
    await store.createIndex({ indexName, dimension: 64, text: false });
    await store.upsert({ indexName, ids, vectors, metadata });
    const recallOf = async (options: Partial<QueryOptions>) => {
      let hits = 0;
      for (const queryVector of randomEntries(20, 64, 99).vectors) {
        const best = await store.query({ indexName, queryVector, exact: true, ...options });
        const found = await store.query({ indexName, queryVector, ...options });
        expect(found).toHaveLength(10);
        hits += found.filter(({ id }) => best.some((other) => other.id === id)).length;
      }
      return hits / 200;
    };
    expect(await recallOf({})).toBeGreaterThanOrEqual(0.95);
    expect(await recallOf({ filter: { part: { $lt: 70 } } })).toBeGreaterThanOrEqual(0.95);
    expect(await recallOf({ filter: { part: 7 } })).toBe(1);
    expect(await recallOf({ exact: true })).toBe(1);
    const many = await store.query({ indexName, queryVector: vectors[0] ?? [], topK: 2_000 });
    expect(many).toHaveLength(2_000);
  });

  it("follows its graph in queries that do not ask for all entries, and in no others", async () => {
    const store = open({ ann: "hnsw" });
    const [queryVector = []] = randomEntries(1, 64).vectors;
    const scans = async () => {
      await admin.query("SELECT pg_stat_clear_snapshot()");
      const counted =
        "SELECT idx_scan::int AS n FROM pg_stat_user_indexes WHERE indexrelname LIKE 'kumiko_vectors_graph_emb%'";
      return (await admin.query(counted)).rows[0].n as number;
    };
    const before = await scans();
    for (let round = 0; round < 3; round++) await store.query({ indexName: "graph", queryVector, exact: true });
    for (let round = 0; round < 5; round++) await store.query({ indexName: "graph", queryVector });
    await store.close(); // what a connection counts is told at its end
    await vi.waitFor(async () => expect((await scans()) - before).toBe(5), patience);
  });

  it("keeps graphs of more than 2,000 dimensions with half of their precision, and refuses more than 4,000", async () => {
    const store = open({ ann: "hnsw" });
    const vector = (place: number) => Array.from({ length: 2_048 }, (_, index) => (index === place ? 1 : 0.001));
    await store.createIndex({ indexName: "long", dimension: 2_048 });
    await store.upsert({ indexName: "long", ids: ["a", "b"], vectors: [vector(0), vector(1)] });
    const found = await store.query({ indexName: "long", queryVector: vector(1), topK: 1 });
    expect(found).toMatchObject([{ id: "b" }]);
    await expect(store.createIndex({ indexName: "longer", dimension: 4_001 })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("up to 4,000 dimensions"),
    });
    expect(await store.listIndexes()).not.toContain("longer");
  });

  it("gives an index a graph that was made without one", async () => {
    await open().createIndex({ indexName: "late", dimension: 2 });
    await open({ ann: "hnsw" }).createIndex({ indexName: "late", dimension: 2 });
    await open({ ann: "hnsw" }).createIndex({ indexName: "late", dimension: 2 });
    const { rows } = await admin.query("SELECT indexdef FROM pg_indexes WHERE tablename = 'kumiko_vectors_late'");
    expect(rows.filter(({ indexdef }) => indexdef.includes("hnsw"))).toHaveLength(1);
  });

  it("keeps its tables in a schema of its own", async () => {
    await admin.query("CREATE SCHEMA docs");
    const [own, other] = [open({ schema: "docs" }), open()];
    await own.createIndex({ indexName: "only_here", dimension: 1 });
    await own.upsert({ indexName: "only_here", ids: ["a"], vectors: [[1]] });
    expect(await own.listIndexes()).toEqual(["only_here"]);
    expect(await other.listIndexes()).not.toContain("only_here");
    await own.deleteIndex("only_here");
    expect(await own.listIndexes()).toEqual([]);
  });

  it("makes an index once when several processes do so at the same time", async () => {
    const racing = Array.from({ length: 5 }, () => open({ ann: "hnsw" }));
    await Promise.all(racing.map((store) => store.createIndex({ indexName: "race", dimension: 2 })));
    expect(await racing[0]?.describeIndex("race")).toMatchObject({ count: 0 });
  });

  it("writes all or nothing when the server crashes in the middle of an upsert", async () => {
    const store = open();
    const indexName = "crash";
    await store.createIndex({ indexName, dimension: 8 });
    const { ids, vectors } = randomEntries(4_000, 8);
    const round = (n: number) => ({ indexName, ids, vectors, documents: ids.map(() => `round${n}`) });
    await store.upsert(round(0));
    // a fast one may have ended before anybody has seen it: then the next one is caught
    const running = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO%'";
    let last = 0;
    let written: Promise<unknown> = Promise.resolve();
    for (let isCaught = false; !isCaught && last < 100; ) {
      let hasEnded = false;
      written = store.upsert(round(++last)).then(
        () => (hasEnded = true),
        () => (hasEnded = true),
      );
      while (!hasEnded && !isCaught) isCaught = (await admin.query(running)).rowCount === 1;
    }
    await server.crash();
    await written;
    await server.restart();
    const again = open();
    const rounds = await Promise.all(
      [last - 1, last].map(async (n) => (await again.query({ indexName, queryText: `round${n}`, topK: 4_096 })).length),
    );
    expect([
      [4_000, 0],
      [0, 4_000],
    ]).toContainEqual(rounds);
  });

  it("says what is missing where there is no pgvector, and who may not create it", async () => {
    await admin.query("CREATE DATABASE bare");
    await admin.query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const guest = new URL(server.url("bare"));
    [guest.username, guest.password] = ["guest", "guest"];
    const store = postgresVectors({ connectionString: guest.href });
    stores.push(store);
    await expect(store.createIndex({ indexName: "docs", dimension: 2 })).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("CREATE EXTENSION vector"),
    });
  });

  it("needs no pgvector for an index of words only", async () => {
    await admin.query("CREATE DATABASE words");
    const store = open({ ann: "hnsw" }, "words");
    await store.createIndex({ indexName: "notes" });
    await store.upsert({ indexName: "notes", ids: ["a"], documents: ["Joints without nails."] });
    expect(await store.query({ indexName: "notes", queryText: "nails" })).toMatchObject([{ id: "a" }]);
    const client = new pg.Client({ connectionString: server.url("words") });
    await client.connect();
    const { rows } = await client.query("SELECT extname FROM pg_extension WHERE extname = 'vector'");
    await client.end();
    expect(rows).toEqual([]);
  });

  it.each([
    [
      0,
      "an older",
      'Use another table, or drop this one with what it holds: DROP TABLE IF EXISTS "kumiko_vectors_other";',
    ],
    [2, "a newer", "Update kumiko, or use another table."],
  ])("refuses the table of an index with layout %i, and names it", async (layout, origin, advice) => {
    const store = open();
    await store.createIndex({ indexName: "other", text: true });
    await store.createIndex({ indexName: "own", text: true });
    await admin.query(`COMMENT ON TABLE kumiko_vectors_other IS 'Vectors of kumiko, layout ${layout}: {"text":true}'`);
    await expect(store.query({ indexName: "other", queryText: "a" })).rejects.toMatchObject({
      code: "STORE_FAILED",
      message:
        `The table "kumiko_vectors_other" was created by ${origin} version of kumiko: it has layout ${layout}, but this version ` +
        `uses layout 1. Nothing was changed. ${advice}`,
    });
    expect(await store.query({ indexName: "own", queryText: "a" })).toEqual([]);
    await admin.query("DROP TABLE kumiko_vectors_other");
    await store.createIndex({ indexName: "other", text: true });
  });

  it("refuses documents with more words than PostgreSQL keeps, and keeps them without words", async () => {
    const store = open();
    const document = Array.from({ length: 150_000 }, (_, index) => `word${index}`).join(" ");
    for (const text of [true, false]) {
      await store.createIndex({ indexName: `words_${text}`, dimension: 1, text });
      const call = store.upsert({ indexName: `words_${text}`, ids: ["a"], vectors: [[1]], documents: [document] });
      if (text) await expect(call).rejects.toMatchObject({ code: "INVALID_DOCUMENT" });
      else await expect(call).resolves.toEqual(["a"]);
    }
  });
});

describe("the arguments of postgresVectors", () => {
  const connectionString = "postgres://nobody@127.0.0.1:1/nothing";
  it("are refused when they make no sense", async () => {
    expect(() => postgresVectors(JSON.parse("{}"))).toThrow(
      "A postgresVectors needs either { connectionString } or { pool }",
    );
    expect(() => postgresVectors({ connectionString }, JSON.parse('{ "ann": "ivfflat" }'))).toThrow(
      '"hnsw" or left out',
    );
    expect(() => postgresVectors({ connectionString }, { schema: "a.b" })).toThrow("is not a valid schema name");
    expect(() => postgresVectors({ connectionString }, JSON.parse('{ "table": "a" }'))).toThrow(
      "Options: schema, ann.",
    );
  });
});

/** The same numbers in every run: the hardest vectors for a graph, as none is near to another. */
function randomEntries(count: number, dimension: number, seed = 1) {
  let state = seed;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  const numbers = Array.from({ length: count }, (_, index) => index);
  return {
    ids: numbers.map((index) => `id${index}`),
    vectors: numbers.map(() => Array.from({ length: dimension }, random)),
    metadata: numbers.map((index) => ({ part: index % 100 })),
  };
}
