import { type Case, type EvaluateContext, evaluate, recallAt, reciprocalRank } from "kumiko/evals";
import { memoryVectors, type VectorStore, vectorRetriever } from "kumiko/rag";
import { sqliteVectors } from "kumiko/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bruteForce, embed, embedder, indexPassages, passages } from "./corpus.js";
import { questions } from "./questions.js";

const stores: readonly { readonly name: string; readonly open: () => VectorStore }[] = [
  { name: "memoryVectors", open: memoryVectors },
  { name: "sqliteVectors", open: () => sqliteVectors(":memory:") },
];

it("knows all passages that questions ask for", () => {
  const ids = passages.map(({ id }) => id);
  expect([passages.length, new Set(ids).size, questions.length]).toEqual([300, 300, 60]);
  const relevant = questions.flatMap((question) => (typeof question.relevant === "function" ? [] : question.relevant));
  expect(relevant.filter((id) => !ids.includes(id))).toEqual([]);
});

describe.each(stores)("300 passages and 60 questions in $name", ({ open }) => {
  const store = open();
  beforeAll(() => indexPassages(store));
  afterAll(() => store.close());

  it("finds exactly what brute force finds, in the same order", async () => {
    const vectors = await embed(passages.map(({ text }) => text));
    for (const { query } of questions) {
      const [queryVector = []] = await embed([query]);
      const found = await store.query({ indexName: "passages", queryVector, topK: 20 });
      expect(found.map(({ id }) => id)).toEqual(bruteForce(queryVector, vectors, 20));
    }
  });

  it("finds the answers among the first five, and ranks them higher with words beside vectors", async () => {
    const measure = async (hybrid: boolean) => {
      const retriever = vectorRetriever(store, { index: "passages", embedder, hybrid });
      const { scores } = await evaluate({
        run: ({ input }: Case<string, unknown>, ctx: EvaluateContext) => retriever.retrieve(input, ctx),
        scorers: { recall: recallAt(5), rank: reciprocalRank(5) },
      }).invoke(questions.map(({ query, relevant }) => ({ input: query, expected: relevant })));
      return { recall: scores.recall?.mean ?? 0, mrr: scores.rank?.mean ?? 0 };
    };
    const [vectors, both] = [await measure(false), await measure(true)];
    expect(vectors.recall).toBeGreaterThan(0.95);
    expect(vectors.mrr).toBeGreaterThan(0.85);
    expect(both.recall).toBeGreaterThan(0.95);
    expect(both.mrr).toBeGreaterThan(0.9);
    expect(both.mrr).toBeGreaterThan(vectors.mrr);
  });
});
