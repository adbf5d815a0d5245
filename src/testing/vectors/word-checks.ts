import { KumikoError } from "../../errors.js";
import type { CreateIndexOptions, UpsertOptions } from "../../rag/vectors/vector-store.js";
import { expectSame, expectThat } from "../conformance.js";
import { expectCode, expectEqual, type PutEntry, type VectorChecks } from "./vector-stage.js";

const pages: Readonly<Record<string, PutEntry>> = {
  b: { document: "Tea is served hot.", metadata: { lang: "en", n: 1 } },
  a: { document: "Kumiko is joined without nails.", metadata: { lang: "en", n: 2 } },
  é: { document: "組子は釘を使わない木工の技術です。", metadata: { lang: "ja", n: 3 } },
};

/** Indexes without vectors, and queries by a filter alone. */
export const wordChecks: VectorChecks = (check) => [
  check("keeps words without vectors in an index without a dimension", async (stage) => {
    const { store, indexName } = stage;
    await stage.createWords(pages);
    expectEqual(await store.describeIndex(indexName), { text: true, count: 3 }, "The description of the index");
    expectEqual((await stage.find({ queryText: "nails tea" })).sort(), ["a", "b"], "The documents with the words");
    expectEqual(await stage.find({ queryText: "釘を使わない", filter: { lang: "ja" } }), ["é"], "Words and a filter");
    expectEqual(
      await stage.find({ queryText: "nails", filter: { lang: "ja" } }),
      [],
      "Words that the filter leaves out",
    );
    const [found] = await store.query({ indexName, queryText: "joined" });
    const { score: _, ...entry } = found ?? { score: 0 };
    expectEqual(entry, { id: "a", ...pages.a }, "The entry");
  }),
  check("changes, replaces and deletes entries without vectors", async (stage) => {
    const { store, indexName } = stage;
    await stage.createWords(pages);
    await store.update({ indexName, id: "a", document: "Slats of cedar." });
    expectEqual(await stage.find({ queryText: "nails" }), [], "What the old words find");
    expectEqual(await stage.find({ queryText: "cedar" }), ["a"], "What the new words find");
    expectEqual(await store.upsert({ indexName, ids: ["a"], documents: ["Paper."] }), ["a"], "The ids");
    expectEqual(
      await store.query({ indexName, filter: { lang: { $exists: false } } }),
      [{ id: "a", score: 0, document: "Paper.", metadata: {} }],
      "What was replaced",
    );
    expectEqual(await store.delete({ indexName, ids: ["a"] }), 1, "Gone by ids");
    expectEqual(await store.delete({ indexName, filter: { lang: "ja" } }), 1, "Gone by filter");
    expectEqual(await stage.find({ filter: {} }), ["b"], "What is left");
  }),
  check("rejects vectors in an index of words only", async (stage) => {
    const { store, indexName } = stage;
    await stage.createWords(pages);
    const upsert = store.upsert({ indexName, vectors: [[1, 0]], documents: ["x"] });
    await expectCode(upsert, "INVALID_VECTOR", "upsert with vectors");
    await expectCode(store.update({ indexName, id: "a", vector: [1, 0] }), "INVALID_VECTOR", "update with a vector");
    await expectCode(store.query({ indexName, queryVector: [1, 0] }), "INVALID_VECTOR", "a query by vector");
    const included = store.query({ indexName, queryText: "tea", includeVector: true });
    await expectCode(included, "INVALID_VECTOR", "a query for vectors");
    const nothing: object = { indexName };
    await expectCode(store.upsert(nothing as UpsertOptions), "INVALID_OPTION", "upsert without documents");
    expectEqual(await stage.count(), 3, "The number of entries");
  }),
  check("creates an index of words again, but not with other settings", async (stage) => {
    const { store, indexName } = stage;
    await stage.createWords(pages);
    await store.createIndex({ indexName, text: true });
    await expectCode(store.createIndex({ indexName, dimension: 2 }), "INVALID_OPTION", "a dimension");
    expectEqual(await stage.count(), 3, "The entries of an index that was created again");
    await store.deleteIndex(indexName);
    await stage.create();
    await expectCode(store.createIndex({ indexName }), "INVALID_OPTION", "no dimension");
    const words = store.upsert({ indexName, documents: ["x"] });
    await expectCode(words, "INVALID_OPTION", "upsert without vectors");
  }),
  check("rejects settings that an index of words cannot have, and a dimension that was lost", async (stage) => {
    const { store, indexName } = stage;
    for (const settings of [{ metric: "cosine" }, { text: false }, { dimension: undefined }]) {
      const options = { indexName, ...settings } as CreateIndexOptions;
      await expectCode(store.createIndex(options), "INVALID_OPTION", Object.keys(settings).join());
    }
    expectThat(!(await store.listIndexes()).includes(indexName), "A rejected index was created.");
  }),
  check("finds other forms of an English word in an index with stems, or refuses stems", async (stage) => {
    const { store, indexName } = stage;
    const text = { stems: "en" } as const;
    const refused: unknown = await store.createIndex({ indexName, text }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) {
      expectSame(KumikoError.is(refused) ? refused.code : refused, "INVALID_OPTION", "The code of the refusal");
      expectThat(!(await store.listIndexes()).includes(indexName), "A rejected index was created.");
      return;
    }
    await store.upsert({ indexName, ids: ["a", "b"], documents: ["Tea is served hot.", "Nails"] });
    expectEqual(await store.describeIndex(indexName), { text, count: 2 }, "The description of the index");
    expectEqual(await stage.find({ queryText: "serving" }), ["a"], "Another form of a word");
    await expectCode(store.createIndex({ indexName }), "INVALID_OPTION", "an index without stems");
  }),
  check("finds entries by a filter alone, ordered by id, in any index", async (stage) => {
    const { store, indexName } = stage;
    await stage.create({ text: false });
    await stage.put({
      b: { metadata: { n: 1 } },
      é: { metadata: { n: 1 } },
      B: { metadata: { n: 2 } },
      a: { metadata: { n: 1 } },
    });
    expectEqual(await stage.find({ filter: { n: 1 } }), ["a", "b", "é"], "The ids");
    expectEqual(await stage.find({ filter: { n: 1 }, topK: 2 }), ["a", "b"], "The first two");
    expectEqual(await stage.find({ filter: {} }), ["B", "a", "b", "é"], "All");
    const [found] = await store.query({ indexName, filter: { n: 2 }, includeVector: true });
    expectEqual(found, { id: "B", score: 0, document: "", metadata: { n: 2 }, vector: [1, 0] }, "An entry");
    const scored = store.query({ indexName, filter: { n: 1 }, minScore: 0.5 });
    await expectCode(scored, "INVALID_OPTION", "a score without a search");
  }),
];
