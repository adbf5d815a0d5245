import { expectThat } from "../conformance.js";
import { expectCode, expectEqual, type VectorChecks } from "./vector-stage.js";

export const indexChecks: VectorChecks = (check) => [
  check("creates, lists, describes and deletes indexes", async ({ store, indexName }) => {
    await store.createIndex({ indexName, dimension: 3, metric: "euclidean", text: false });
    expectThat((await store.listIndexes()).includes(indexName), "A new index is not listed.");
    const expected = { dimension: 3, metric: "euclidean", text: false, count: 0 };
    expectEqual(await store.describeIndex(indexName), expected, "The description of a new index");
    await store.deleteIndex(indexName);
    expectThat(!(await store.listIndexes()).includes(indexName), "A deleted index is listed.");
    await expectCode(store.describeIndex(indexName), "UNKNOWN_INDEX", "describing a deleted index");
  }),
  check("uses cosine, and supports text search, by default", async (stage) => {
    await stage.create();
    const expected = { dimension: 2, metric: "cosine", text: true, count: 0 };
    expectEqual(await stage.store.describeIndex(stage.indexName), expected, "The description of an index");
  }),
  check("keeps an existing index when it is created again", async (stage) => {
    await stage.create();
    await stage.put({ a: {} });
    await stage.create();
    expectEqual(await stage.count(), 1, "The entries of an index that was created again");
  }),
  check("rejects creating an index again with other settings", async (stage) => {
    await stage.create();
    await expectCode(stage.create({ dimension: 3 }), "INVALID_OPTION", "another dimension");
    await expectCode(stage.create({ metric: "euclidean" }), "INVALID_OPTION", "another metric");
    await expectCode(stage.create({ text: false }), "INVALID_OPTION", "no text");
  }),
  check("starts empty after an index was deleted", async (stage) => {
    await stage.create();
    await stage.put({ a: { document: "old" } });
    await stage.store.deleteIndex(stage.indexName);
    await stage.create({ dimension: 3 });
    expectEqual(await stage.count(), 0, "The entries of a new index");
    expectEqual(await stage.find({ queryText: "old" }), [], "What a new index finds");
  }),
  check("keeps indexes apart", async (stage) => {
    const other = `${stage.indexName}_b`;
    await stage.create();
    await stage.create({ indexName: other });
    await stage.put({ a: {} });
    const found = await stage.store.query({ indexName: other, queryVector: [1, 0] });
    expectEqual(found, [], "What another index finds");
    await stage.store.deleteIndex(other);
  }),
  check("rejects invalid names and settings", async (stage) => {
    for (const indexName of ["", "1a", "a-b", 'a"b', "a".repeat(49), "ä"]) {
      await expectCode(stage.create({ indexName }), "INVALID_OPTION", `the name ${JSON.stringify(indexName)}`);
    }
    await expectCode(stage.create({ dimension: 0 }), "INVALID_OPTION", "a dimension of 0");
    await expectCode(stage.create({ dimension: 1.5 }), "INVALID_OPTION", "a dimension of 1.5");
  }),
  check("accepts a name of 48 letters, and distinguishes case", async ({ store, indexName }) => {
    const names = [indexName.padEnd(48, "x"), `${indexName}_A`, `${indexName}_a`];
    for (const name of names) await store.createIndex({ indexName: name, dimension: 2 });
    await store.upsert({ indexName: `${indexName}_A`, ids: ["a"], vectors: [[1, 0]] });
    expectEqual((await store.describeIndex(`${indexName}_a`)).count, 0, "The entries of the other index");
    for (const name of names) await store.deleteIndex(name);
  }),
  check("rejects calls for an index that was never created", async ({ store, indexName }) => {
    const vectors = [[1, 0]];
    await expectCode(store.upsert({ indexName, vectors }), "UNKNOWN_INDEX", "upsert");
    await expectCode(store.query({ indexName, queryVector: [1, 0] }), "UNKNOWN_INDEX", "query");
    await expectCode(store.update({ indexName, id: "a" }), "UNKNOWN_INDEX", "update");
    await expectCode(store.delete({ indexName, ids: ["a"] }), "UNKNOWN_INDEX", "delete");
    await expectCode(store.deleteIndex(indexName), "UNKNOWN_INDEX", "deleteIndex");
  }),
];
