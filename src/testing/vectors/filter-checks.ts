import type { Filter } from "../../rag/vectors/filter.js";
import type { DeleteOptions, QueryOptions } from "../../rag/vectors/vector-store.js";
import { expectThat } from "../conformance.js";
import { expectCode, expectEqual, type VectorChecks } from "./vector-stage.js";

const entries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  a: { n: 1, s: "apple", b: true, list: [1, "x", null], deep: { inner: "yes", n: 1 } },
  b: { n: 2, s: "banana", b: false, list: ["y", true], deep: { inner: "no" } },
  c: { n: "2", s: "Öl", none: null, list: [], "key with 'quotes'": 1 },
  d: { n: -1.5, s: "", deep: [{ inner: "yes" }], 世界: "你好" },
  e: {},
};

/** Filters, and the ids of the matching entries. */
const cases: readonly (readonly [Filter, string])[] = [
  [{}, "abcde"],
  [{ n: 1 }, "a"],
  [{ n: "2" }, "c"],
  [{ n: { $eq: 2 } }, "b"],
  [{ n: { $ne: 2 } }, "acde"],
  [{ n: { $gt: 1 } }, "b"],
  [{ n: { $gte: 1 } }, "ab"],
  [{ n: { $lt: 1 } }, "d"],
  [{ n: { $lte: -1.5 } }, "d"],
  [{ n: { $gte: 1, $lt: 2 } }, "a"],
  [{ n: { $gt: "1" } }, "c"],
  [{ s: { $gt: "apple" } }, "bc"],
  [{ s: { $lt: "apple" } }, "d"],
  [{ s: { $gte: "banana", $lt: "z" } }, "b"],
  [{ s: "" }, "d"],
  [{ s: "Öl" }, "c"],
  [{ b: true }, "a"],
  [{ b: false }, "b"],
  [{ b: { $ne: true } }, "bcde"],
  [{ b: 1 }, ""],
  [{ n: { $in: [1, "2", true] } }, "ac"],
  [{ n: { $in: [] } }, ""],
  [{ n: { $nin: [1, 2] } }, "cde"],
  [{ n: { $nin: [] } }, "abcde"],
  [{ none: null }, "c"],
  [{ none: { $ne: null } }, "abde"],
  [{ none: { $exists: true } }, "c"],
  [{ none: { $exists: false } }, "abde"],
  [{ list: { $exists: true } }, "abc"],
  [{ list: { $contains: "x" } }, "a"],
  [{ list: { $contains: 1 } }, "a"],
  [{ list: { $contains: "1" } }, ""],
  [{ list: { $contains: null } }, "a"],
  [{ list: { $contains: true } }, "b"],
  [{ s: { $contains: "app" } }, ""],
  [{ list: "x" }, ""],
  [{ "deep.inner": "yes" }, "a"],
  [{ "deep.inner": { $ne: "yes" } }, "bcde"],
  [{ "deep.n": { $exists: true } }, "a"],
  [{ "deep.inner.more": { $exists: true } }, ""],
  [{ deep: { $exists: true } }, "abd"],
  [{ "key with 'quotes'": 1 }, "c"],
  [{ 世界: "你好" }, "d"],
  [{ missing: "x' OR 1=1 --" }, ""],
  [{ $and: [{ n: { $gte: 1 } }, { b: false }] }, "b"],
  [{ $or: [{ n: 1 }, { s: "" }] }, "ad"],
  [{ $nor: [{ n: 1 }, { s: "" }] }, "bce"],
  [{ $not: { n: { $gte: 1 } } }, "cde"],
  [{ $not: { $not: { n: 1 } } }, "a"],
  [{ $and: [] }, "abcde"],
  [{ $or: [] }, ""],
  [{ $nor: [] }, "abcde"],
  [{ n: { $gte: 1 }, $or: [{ b: true }, { $not: { s: { $gt: "a" } } }] }, "a"],
  [{ n: -0 }, ""],
];

const wrong: readonly unknown[] = [
  { n: { $regex: "a" } },
  { n: { $gt: true } },
  { n: { $gt: null } },
  { n: { $in: 1 } },
  { n: { $in: [[1]] } },
  { n: [1] },
  { n: {} },
  { n: { inner: 1 } },
  { n: Number.NaN },
  { n: { $exists: 1 } },
  { $where: "1" },
  { $or: { n: 1 } },
  { "a..b": 1 },
  { "": 1 },
  { 'a"b': 1 },
  "n = 1",
  [],
  null,
  new Map([["n", 1]]),
  new Date(0),
  Promise.resolve({ n: 1 }),
  { n: new Map([["$eq", 1]]) },
  Array.from({ length: 17 }).reduce<unknown>((inner) => ({ $not: inner }), { n: 1 }),
];

/** Filters with an undefined value, and the path that the error must name. */
const missing: readonly (readonly [unknown, string])[] = [
  [{ n: undefined }, "n"],
  [{ n: 1, "deep.inner": undefined }, "deep.inner"],
  [{ n: { $eq: undefined } }, "n.$eq"],
  [{ n: { $ne: undefined } }, "n.$ne"],
  [{ n: { $gte: 1, $lt: undefined } }, "n.$lt"],
  [{ n: { $in: [1, undefined] } }, "n.$in[1]"],
  [{ n: { $in: new Array(1) } }, "n.$in[0]"],
  [{ n: { $nin: undefined } }, "n.$nin"],
  [{ n: { $exists: undefined } }, "n.$exists"],
  [{ list: { $contains: undefined } }, "list.$contains"],
  [{ $and: undefined }, "$and"],
  [{ $and: [{ n: 1 }, undefined] }, "$and[1]"],
  [{ $and: [{ n: 1 }, { s: undefined }] }, "$and[1].s"],
  [{ $or: [{ n: undefined }] }, "$or[0].n"],
  [{ $or: new Array(1) }, "$or[0]"],
  [{ $nor: [{ n: undefined }] }, "$nor[0].n"],
  [{ $not: undefined }, "$not"],
  [{ $not: { $or: [{ s: undefined }] } }, "$not.$or[0].s"],
];

export const filterChecks: VectorChecks = (check) => [
  check("finds exactly the entries that match a filter", async (stage) => {
    await stage.create();
    await stage.put(
      Object.fromEntries(Object.entries(entries).map(([id, metadata]) => [id, { metadata, document: "word" }])),
    );
    for (const [filter, expected] of cases) {
      const what = `What ${JSON.stringify(filter)} finds`;
      expectEqual((await stage.find({ queryVector: [1, 0], filter })).join(""), expected, `${what} by vector`);
      expectEqual((await stage.find({ queryText: "word", filter })).sort().join(""), expected, `${what} by words`);
      expectEqual((await stage.find({ filter })).join(""), expected, `${what} by itself`);
    }
  }),
  check("filters before it selects the best entries", async (stage) => {
    await stage.create();
    const ids = Array.from({ length: 200 }, (_, index) => `id${String(index).padStart(3, "0")}`);
    await stage.put(
      Object.fromEntries(ids.map((id, n) => [id, { vector: [1, n / 100], document: "word", metadata: { n } }])),
    );
    const found = await stage.find({ queryVector: [1, 0], topK: 2, filter: { n: { $gte: 150 } } });
    expectEqual(found, ["id150", "id151"], "The nearest that fit");
    const words = await stage.find({ queryText: "word", topK: 3, filter: { n: { $lt: 3 } } });
    expectEqual(words.sort(), ["id000", "id001", "id002"], "Those with the word that fit");
  }),
  check("rejects invalid filters", async (stage) => {
    await stage.create();
    await stage.put({ a: { metadata: { n: 1 } } });
    for (const filter of wrong) {
      const query = { indexName: stage.indexName, queryVector: [1, 0], filter: filter as Filter };
      await expectCode(stage.store.query(query), "INVALID_FILTER", `the filter ${JSON.stringify(filter)}`);
    }
    const all = { indexName: stage.indexName, filter: { n: { $regex: "a" } } as Filter };
    await expectCode(stage.store.delete(all), "INVALID_FILTER", "a wrong filter of delete");
    expectEqual(await stage.count(), 1, "The number of entries");
  }),
  check("rejects filters with an undefined value, at any depth, and names it", async (stage) => {
    const { store, indexName } = stage;
    await stage.create();
    await stage.put({ a: { metadata: { n: 1 } }, b: {} });
    for (const [value, path] of missing) {
      const filter = value as Filter;
      const calls = {
        "a query by vector": () => store.query({ indexName, queryVector: [1, 0], filter }),
        "a query by words": () => store.query({ indexName, queryText: "word", filter }),
        "a query by a filter": () => store.query({ indexName, filter }),
        delete: () => store.delete({ indexName, filter }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const what = `${name} with ${path} undefined`;
        const { message } = await expectCode(call(), "INVALID_FILTER", what);
        expectThat(message.includes(JSON.stringify(path)), `The error of ${what} should name it: ${message}`);
      }
    }
    expectEqual(await stage.count(), 2, "The number of entries");
  }),
  check("rejects a filter that is given but undefined", async (stage) => {
    const { store, indexName } = stage;
    await stage.create();
    await stage.put({ a: {} });
    const lost: object = { indexName, filter: undefined };
    await expectCode(store.query({ indexName, queryVector: [1, 0], ...lost }), "INVALID_OPTION", "a query");
    await expectCode(store.query(lost as QueryOptions), "INVALID_OPTION", "a query by a filter");
    await expectCode(store.delete(lost as DeleteOptions), "INVALID_OPTION", "delete");
    expectEqual(await stage.count(), 1, "The number of entries");
  }),
];
