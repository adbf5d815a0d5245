import type { Filter } from "../../rag/vectors/filter.js";
import type { DeleteOptions } from "../../rag/vectors/vector-store.js";
import { expectSame, expectThat } from "../conformance.js";
import { expectCode, expectEqual, type VectorChecks, type VectorStage } from "./vector-stage.js";

const oddIds = [
  "a b",
  "ä",
  "世界",
  "👍🏽",
  "'; DROP TABLE x; --",
  "%_\\",
  "a".repeat(1_024),
  "constructor",
  "__proto__",
];
const oddMetadata: Readonly<Record<string, unknown>> = {
  text: "世界 \"quoted\" 'single' \\ \n \t é 👍🏽",
  number: -0.125,
  big: 9_007_199_254_740_991,
  none: null,
  yes: true,
  list: [1, "a", null, [2], { deep: [] }],
  nested: { "a.b": { "": 1 }, $set: "x" },
  "": "empty",
};

export const entryChecks: VectorChecks = (check) => [
  check("keeps ids, documents, metadata and vectors as they are", async (stage) => {
    await stage.create({ dimension: 3 });
    const document = `${String(oddMetadata.text)}${"x".repeat(20_000)}`;
    await stage.put(
      Object.fromEntries(oddIds.map((id) => [id, { vector: [0.5, -2, 1e-3], document, metadata: oddMetadata }])),
    );
    const found = await stage.store.query({
      indexName: stage.indexName,
      queryVector: [1, 0, 0],
      includeVector: true,
      topK: 100,
    });
    expectEqual(
      found.map(({ id }) => id).sort(),
      Object.keys(Object.fromEntries(oddIds.map((id) => [id, 1]))).sort(),
      "The ids",
    );
    for (const result of found) {
      expectSame(result.document, document, `The document of ${result.id}`);
      expectEqual(result.metadata, oddMetadata, `The metadata of ${result.id}`);
      expectEqual(result.vector, Array.from(Float32Array.of(0.5, -2, 1e-3)), `The vector of ${result.id}`);
    }
  }),
  check("returns the ids of the entries, and creates missing ones", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    const vectors = [
      [1, 0],
      [0, 1],
    ];
    expectEqual(await store.upsert({ indexName, vectors, ids: ["b", "a"] }), ["b", "a"], "The ids");
    const [one, other] = await store.upsert({ indexName, vectors });
    expectThat(one !== undefined && one !== "" && one !== other, "Ids that are made must differ.");
    expectEqual(await stage.count(), 4, "The number of entries");
    const [first] = await store.query({ indexName, queryVector: [1, 0], topK: 1 });
    expectEqual([first?.document, first?.metadata, first?.vector ?? null], ["", {}, null], "What was not given");
  }),
  check("writes nothing for an empty list", async (stage) => {
    await stage.create();
    expectEqual(await stage.store.upsert({ indexName: stage.indexName, vectors: [] }), [], "The ids");
  }),
  check("replaces an entry with the same id entirely", async (stage) => {
    await stage.create();
    await stage.put({ a: { vector: [1, 0], document: "old words", metadata: { old: 1 } } });
    await stage.put({ a: { vector: [0, 1], document: "new", metadata: { new: 1 } } });
    const [found] = await stage.store.query({ indexName: stage.indexName, queryVector: [0, 1], includeVector: true });
    expectEqual(found, { id: "a", score: 1, document: "new", metadata: { new: 1 }, vector: [0, 1] }, "The entry");
    expectEqual(await stage.find({ queryText: "old" }), [], "What its old words find");
    expectEqual(await stage.count(), 1, "The number of entries");
  }),
  check("keeps the last of several entries with the same id in one call", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    const options = { indexName, ids: ["a", "a"], documents: ["one", "two"] };
    expectEqual(
      await store.upsert({
        ...options,
        vectors: [
          [1, 0],
          [0, 1],
        ],
      }),
      ["a", "a"],
      "The ids",
    );
    const found = await store.query({ indexName, queryVector: [0, 1] });
    expectEqual(
      found.map(({ document }) => document),
      ["two"],
      "The documents",
    );
  }),
  check("writes all entries of a call or none", async (stage) => {
    await stage.create();
    await stage.put({ a: { document: "before" } });
    const { store, indexName } = stage;
    const good = [1, 0];
    for (const bad of [[1], [1, 2, 3], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1], [1e300, 1], [0, 0]]) {
      const call = store.upsert({ indexName, ids: ["a", "b"], vectors: [good, bad], documents: ["after", ""] });
      await expectCode(call, "INVALID_VECTOR", `the vector ${JSON.stringify(bad)}`);
    }
    await expectCode(
      store.upsert({ indexName, ids: ["b", ""], vectors: [good, good] }),
      "INVALID_OPTION",
      "an empty id",
    );
    await expectCode(store.upsert({ indexName, ids: ["b"], vectors: [good, good] }), "INVALID_OPTION", "too few ids");
    const found = await store.query({ indexName, queryVector: good });
    expectEqual(
      found.map(({ id, document }) => [id, document]),
      [["a", "before"]],
      "The entries",
    );
  }),
  check("rejects strings that databases cannot store, and writes nothing", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    const vectors = [[1, 0]];
    for (const text of ["a\0b", "\ud83d", "a\udc4d b"]) {
      const what = `the text ${JSON.stringify(text)}`;
      await expectCode(store.upsert({ indexName, vectors, documents: [text] }), "INVALID_DOCUMENT", what);
      const metadata = [{ list: [{ text }] }];
      await expectCode(store.upsert({ indexName, vectors, metadata }), "INVALID_DOCUMENT", `${what} in metadata`);
    }
    const metadata = [{ text: String.raw`a\u0000 \ud83d` }];
    await store.upsert({ indexName, vectors, documents: ["👍🏽"], metadata });
    const [found] = await store.query({ indexName, queryVector: [1, 0] });
    expectEqual([found?.document, found?.metadata, await stage.count()], ["👍🏽", metadata[0], 1], "What was written");
  }),
  check("accepts vectors of zeros if the metric is not cosine", async (stage) => {
    for (const metric of ["euclidean", "dotproduct"] as const) {
      const indexName = `${stage.indexName}_${metric.slice(0, 3)}`;
      await stage.store.createIndex({ indexName, dimension: 2, metric });
      await stage.store.upsert({
        indexName,
        ids: ["zero", "one"],
        vectors: [
          [0, 0],
          [1, 0],
        ],
      });
      const found = await stage.store.query({ indexName, queryVector: [1, 0] });
      expectEqual(
        found.map(({ id, score }) => [id, score]),
        [
          ["one", 1],
          ["zero", metric === "euclidean" ? 0.5 : 0],
        ],
        metric,
      );
      await stage.store.deleteIndex(indexName);
    }
  }),
  check("writes thousands of entries in one call", async (stage) => {
    await stage.create();
    const ids = Array.from({ length: 3_000 }, (_, index) => `id ${index}`);
    await stage.store.upsert({ indexName: stage.indexName, ids, vectors: ids.map((_, index) => [1, index / 1_000]) });
    expectEqual(await stage.count(), 3_000, "The number of entries");
    expectEqual(await stage.find({ queryVector: [1, 2.999], topK: 2 }), ["id 2999", "id 2998"], "The nearest");
  }),
  ...changeChecks(check),
];

const changeChecks: VectorChecks = (check) => [
  check("changes only the given parts of an entry", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    await stage.put({ a: { document: "first words", metadata: { n: 1 } }, b: {} });
    await store.update({ indexName, id: "a", metadata: { m: 2 } });
    await expectEntry(stage, { document: "first words", metadata: { m: 2 }, vector: [1, 0] });
    await store.update({ indexName, id: "a", document: "other text" });
    await expectEntry(stage, { document: "other text", metadata: { m: 2 }, vector: [1, 0] });
    await store.update({ indexName, id: "a", vector: [0, 1] });
    await expectEntry(stage, { document: "other text", metadata: { m: 2 }, vector: [0, 1] });
    expectEqual(await stage.find({ queryText: "words" }), [], "What the old words find");
    expectEqual(await stage.find({ queryText: "text" }), ["a"], "What the new words find");
    expectEqual(await stage.find({ queryVector: [0, 1], topK: 1 }), ["a"], "What the new vector finds");
  }),
  check("rejects changes of unknown entries, and vectors of another dimension", async (stage) => {
    await stage.create();
    await stage.put({ a: {} });
    const { store, indexName } = stage;
    await expectCode(store.update({ indexName, id: "b", document: "x" }), "UNKNOWN_VECTOR", "an unknown id");
    await expectCode(store.update({ indexName, id: "a", vector: [1] }), "INVALID_VECTOR", "another dimension");
  }),
  check("deletes by ids and by filter, and returns how many", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    const metadata = (n: number) => ({ document: "word", metadata: { n } });
    await stage.put({ a: metadata(1), b: metadata(2), c: metadata(3), d: metadata(4), e: metadata(5) });
    expectEqual(await store.delete({ indexName, ids: ["a", "a", "x"] }), 1, "Gone by ids");
    expectEqual(await store.delete({ indexName, filter: { n: { $gte: 4 } } }), 2, "Gone by filter");
    expectEqual(await stage.find({ queryVector: [1, 0] }), ["b", "c"], "What is left by vector");
    expectEqual((await stage.find({ queryText: "word" })).sort(), ["b", "c"], "What is left by words");
    expectEqual(await store.delete({ indexName, ids: [] }), 0, "Gone by no ids");
    expectEqual(await store.delete({ indexName, filter: { n: { $in: [2, 3] } } }), 2, "Gone by a filter that all fit");
    expectEqual(await stage.count(), 0, "The number of entries");
    await stage.put({ b: { vector: [0, 1] } });
    expectEqual(await stage.find({ queryVector: [0, 1] }), ["b"], "What was written after that");
  }),
  check("does not delete everything by a filter that restricts nothing, or by a lost value", async (stage) => {
    await stage.create();
    await stage.put({ a: {}, b: {} });
    const { store, indexName } = stage;
    const everything: readonly Filter[] = [
      {},
      { $and: [] },
      { $and: [{}, {}] },
      { $or: [{ n: 1 }, {}] },
      { $nor: [] },
      { $not: { $or: [] } },
      { n: { $nin: [] } },
    ];
    for (const filter of everything) {
      const { message } = await expectCode(
        store.delete({ indexName, filter }),
        "INVALID_OPTION",
        `the filter ${JSON.stringify(filter)} of delete`,
      );
      expectThat(message.includes("deleteIndex"), `The error should name deleteIndex: ${message}`);
    }
    const lost: readonly object[] = [
      {},
      { ids: undefined },
      { ids: undefined, filter: { n: { $exists: false } } },
      { ids: ["a"], filter: undefined },
      { ids: ["a"], filter: { n: 1 } },
      { ids: [undefined] },
      { ids: new Array(1) },
    ];
    for (const given of lost) {
      const call = store.delete({ indexName, ...given } as DeleteOptions);
      await expectCode(call, "INVALID_OPTION", `delete with ${Object.keys(given).join(" and ") || "nothing"}`);
    }
    expectEqual(await stage.count(), 2, "The number of entries");
  }),
  check("rejects calls after close", async ({ store, indexName }) => {
    await store.close();
    await store.close();
    await expectCode(store.listIndexes(), "STORE_FAILED", "a closed store");
    await expectCode(store.query({ indexName, queryVector: [1, 0] }), "STORE_FAILED", "a closed store");
  }),
];

async function expectEntry({ store, indexName }: VectorStage, expected: object): Promise<void> {
  const found = await store.query({ indexName, queryVector: [1, 1], includeVector: true, topK: 10 });
  const { id: _, score: __, ...entry } = found.find(({ id }) => id === "a") ?? { id: "", score: 0 };
  expectEqual(entry, expected, "The entry");
}
