import type { Document } from "kumiko";
import { type Case, evaluate, recallAt, reciprocalRank } from "kumiko/evals";
import { memoryVectors, vectorRetriever } from "kumiko/rag";
import { expect, it } from "vitest";

type Expected = readonly string[] | ((document: Document) => boolean);

const fixed =
  (found: Readonly<Record<string, readonly string[]>>) =>
  async (query: string): Promise<Document[]> =>
    (found[query] ?? []).map((id) => ({ id, content: id, metadata: {} }));

it("gives recall@k and the mean reciprocal rank", async () => {
  const retrieve = fixed({ one: ["a", "b", "c"], two: ["x", "y"] });
  const report = await evaluate({
    run: ({ input }: Case<string, Expected>) => retrieve(input),
    scorers: { recall: recallAt(2), rank: reciprocalRank(2) },
  }).invoke([
    { input: "one", expected: ["b", "z"] },
    { input: "two", expected: ({ id }) => id === "x" },
  ]);
  expect([report.scores.recall?.mean, report.scores.rank?.mean]).toEqual([0.75, 0.75]);
  expect(report.results.map(({ scores }) => [scores.recall?.score, scores.rank?.score])).toEqual([
    [0.5, 0.5],
    [1, 1],
  ]);
});

it("leaves cases that expect nothing unscored, and takes retrievers with the context of the run", async () => {
  const store = memoryVectors();
  await store.createIndex({ indexName: "d", dimension: 1, metric: "euclidean" });
  const embedder = { component: "embedder" as const, embed: async (texts: readonly string[]) => texts.map(() => [1]) };
  const retriever = vectorRetriever(store, { index: "d", embedder });
  const report = await evaluate({
    run: ({ input }, ctx) => retriever.retrieve(input, ctx),
    scorers: { recall: recallAt(2) },
  }).invoke([{ input: "q" }]);
  expect(report.results[0]?.scores.recall).toMatchObject({ score: null, reason: expect.stringContaining("expected") });
});
