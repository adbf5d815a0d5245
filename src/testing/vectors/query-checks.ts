import type { QueryResult, VectorMetric } from "../../rag/vectors/vector-store.js";
import { expectThat } from "../conformance.js";
import { expectCode, expectEqual, type VectorChecks } from "./vector-stage.js";

/** The expected scores. Stores calculate in single precision, so they are compared with a tolerance. */
const scoreOf: Readonly<Record<VectorMetric, (one: readonly number[], other: readonly number[]) => number>> = {
  cosine: (one, other) => dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other)),
  dotproduct: dot,
  euclidean: (one, other) => 1 / (1 + Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)))),
};

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/** A deterministic random number generator. */
function* pseudoRandom(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647 - 0.5;
  }
}

export const queryChecks: VectorChecks = (check) => [
  ...(["cosine", "euclidean", "dotproduct"] as const).map((metric) =>
    check(`finds the nearest by ${metric}, all of them, with their scores`, async (stage) => {
      await stage.create({ dimension: 8, metric });
      const numbers = pseudoRandom();
      const vector = () => Array.from({ length: 8 }, () => numbers.next().value);
      const vectors = Array.from({ length: 300 }, (_, index) => [`id${index}`, vector()] as const);
      await stage.put(Object.fromEntries(vectors.map(([id, values]) => [id, { vector: values }])));
      for (let round = 0; round < 5; round++) {
        const queryVector = vector();
        const expected = vectors
          .map(([id, values]) => ({ id, score: scoreOf[metric](values, queryVector) }))
          .sort((one, other) => other.score - one.score)
          .slice(0, 12);
        const found = await stage.store.query({ indexName: stage.indexName, queryVector, topK: 12, exact: true });
        expectEqual(ids(found), ids(expected), "The nearest");
        for (const [index, { score }] of found.entries()) {
          const other = expected[index]?.score ?? 0;
          expectThat(Math.abs(score - other) < 1e-5, `The score ${score} should be about ${other}.`);
        }
      }
    }),
  ),
  check("orders entries with equal scores by their ids", async (stage) => {
    await stage.create();
    await stage.put({ b: {}, a: {}, B: {}, é: {}, "10": {}, "9": {} });
    expectEqual(await stage.find({ queryVector: [2, 0] }), ["10", "9", "B", "a", "b", "é"], "The order");
    expectEqual(await stage.find({ queryVector: [1, 0], topK: 2 }), ["10", "9"], "The first two");
  }),
  check("returns ten entries by default, and at most as many as exist", async (stage) => {
    await stage.create();
    await stage.put(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`id${index}`, {}])));
    expectEqual((await stage.find({ queryVector: [1, 0] })).length, 10, "By default");
    expectEqual((await stage.find({ queryVector: [1, 0], topK: 4_096 })).length, 20, "At most");
  }),
  check("returns only entries with at least minScore", async (stage) => {
    await stage.create();
    await stage.put({ same: { vector: [1, 0] }, half: { vector: [1, 1] }, other: { vector: [-1, 0] } });
    expectEqual(await stage.find({ queryVector: [1, 0], minScore: 0.5 }), ["same", "half"], "Above 0.5");
    expectEqual(await stage.find({ queryVector: [1, 0], minScore: -1 }), ["same", "half", "other"], "All");
  }),
  check("finds nothing in an empty index", async (stage) => {
    await stage.create();
    expectEqual(await stage.find({ queryVector: [1, 0] }), [], "By vector");
    expectEqual(await stage.find({ queryText: "word" }), [], "By words");
    expectEqual(await stage.find({ queryText: "word", queryVector: [1, 0] }), [], "By both");
  }),
  check("rejects empty and invalid queries", async (stage) => {
    await stage.create();
    const { store, indexName } = stage;
    await expectCode(store.query({ indexName }), "INVALID_OPTION", "a query for nothing");
    for (const topK of [0, -1, 1.5, 4_097, Number.NaN]) {
      await expectCode(store.query({ indexName, queryVector: [1, 0], topK }), "INVALID_OPTION", `topK ${topK}`);
    }
    await expectCode(store.query({ indexName, queryVector: [1] }), "INVALID_VECTOR", "another dimension");
    await expectCode(store.query({ indexName, queryVector: [0, 0] }), "INVALID_VECTOR", "a vector of zeros");
  }),
  ...textChecks(check),
];

const textChecks: VectorChecks = (check) => [
  check("finds documents with any of the words, those with more of them first", async (stage) => {
    await stage.create();
    await stage.put({
      a: { document: "The lattice is joined without nails." },
      b: { document: "A lattice of wood." },
      c: { document: "Nails are for other work." },
      d: { document: "Nothing of that." },
    });
    expectEqual((await stage.find({ queryText: "lattice nails" }))[0], "a", "The best");
    expectEqual((await stage.find({ queryText: "LATTICE nails" })).sort(), ["a", "b", "c"], "All");
    expectEqual(await stage.find({ queryText: "latt" }), [], "A part of a word");
    expectEqual(await stage.find({ queryText: "" }), [], "No words");
    expectEqual(await stage.find({ queryText: "?! --" }), [], "No words but signs");
  }),
  check("does not interpret words of a query as operators", async (stage) => {
    await stage.create();
    await stage.put({
      a: { document: "and or not near title" },
      b: { document: 'it\'s a "test" of (all) * signs: a-b' },
    });
    for (const queryText of ["AND", "or NOT", "NEAR(", 'title:"', "title*", "& | !", "'; DROP"]) {
      const found = await stage.find({ queryText });
      expectThat(!found.includes("b"), `"${queryText}" finds what has none of its words.`);
    }
    expectEqual(await stage.find({ queryText: '"test" (signs' }), ["b"], "Words with signs around them");
    expectEqual(await stage.find({ queryText: "a-b:*" }), ["b"], "Words with signs in them");
  }),
  check("finds Chinese, Japanese and Korean words, which have no spaces between them", async (stage) => {
    await stage.create();
    await stage.put({
      zh: { document: "深圳今天天气很好，适合出门。" },
      ja: { document: "組子は釘を使わない木工の技術です。" },
      ko: { document: "오늘날씨가좋습니다" },
    });
    expectEqual(await stage.find({ queryText: "天气" }), ["zh"], "Two characters");
    expectEqual(await stage.find({ queryText: "深圳今天" }), ["zh"], "Four characters");
    expectEqual(await stage.find({ queryText: "釘を使わない" }), ["ja"], "Several scripts");
    expectEqual(await stage.find({ queryText: "木" }), ["ja"], "One character");
    expectEqual(await stage.find({ queryText: "날씨가" }), ["ko"], "Korean");
  }),
  check("combines the results of vector and text search", async (stage) => {
    await stage.create();
    await stage.put({
      both: { vector: [1, 0.2], document: "lattice" },
      vector: { vector: [1, 0], document: "wood" },
      words: { vector: [0, 1], document: "lattice lattice" },
    });
    const found = await stage.store.query({ indexName: stage.indexName, queryVector: [1, 0], queryText: "lattice" });
    expectEqual(found.length, 3, "How many are found");
    expectThat(found[0]?.id === "both" || found[0]?.id === "words", "An entry found by words should be first.");
    expectThat(
      found.every(({ score }) => score > 0 && score < 0.02),
      "Scores of a combined query must be rank scores, between 0 and 0.02.",
    );
    const one = await stage.find({ queryVector: [1, 0], queryText: "lattice", topK: 1 });
    expectEqual(one, [found[0]?.id], "The best one");
  }),
  check("rejects text search in an index without text", async (stage) => {
    await stage.create({ text: false });
    await stage.put({ a: { document: "word" } });
    const { store, indexName } = stage;
    await expectCode(store.query({ indexName, queryText: "word" }), "INVALID_OPTION", "a query by words");
    expectEqual(await stage.find({ queryVector: [1, 0] }), ["a"], "By vector");
  }),
];

const ids = (found: readonly (QueryResult | { readonly id: string })[]): string[] => found.map(({ id }) => id);
