import { type CreateIndexOptions, memoryVectors } from "kumiko/rag";
import { vectorStoreConformance } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { vectorScore } from "../../../src/rag/vectors/vector-score.js";

describe("memoryVectors", () => {
  it("refuses stems, which it cannot make, and settings of text that do not exist", async () => {
    const create = (text: unknown) => memoryVectors().createIndex({ indexName: "a", text } as CreateIndexOptions);
    for (const [text, message] of [
      [{ stems: "en" }, /memoryVectors finds words only as they are written.*sqliteVectors or postgresVectors/],
      [{ stems: "de" }, /text\.stems must be "en"/],
      [{ stem: "en" }, /Unknown option "stem" of text of createIndex/],
      ["en", /text must be true, false or \{ stems: "en" \}/],
    ] as const)
      await expect(create(text), String(message)).rejects.toMatchObject({
        code: "INVALID_OPTION",
        message: expect.stringMatching(message),
      });
  });

  it.each(vectorStoreConformance(() => memoryVectors()))("$name", async ({ run }) => {
    await run();
  });

  it("gives copies", async () => {
    const store = memoryVectors();
    await store.createIndex({ indexName: "a", dimension: 1 });
    const metadata = { list: [1] };
    await store.upsert({ indexName: "a", ids: ["a"], vectors: [[1]], metadata: [metadata] });
    metadata.list.push(2);
    const found = await store.query({ indexName: "a", queryVector: [1] });
    expect(found[0]?.metadata).toEqual({ list: [1] });
    Object.assign(found[0]?.metadata ?? {}, { list: [] });
    expect((await store.query({ indexName: "a", queryVector: [1] }))[0]?.metadata).toEqual({ list: [1] });
  });
});

it.each(["cosine", "dotproduct", "euclidean"] as const)(
  "scores each of thousands of entries by %s as by itself",
  async (metric) => {
    const store = memoryVectors();
    await store.createIndex({ indexName: "many", dimension: 3, metric, text: false });
    const vectors = Array.from({ length: 2_501 }, (_, n) => [Math.sin(n), Math.cos(n * 2), Math.sin(n * 3) + 2]);
    const metadata = vectors.map((_, n) => ({ odd: n % 2 === 1 }));
    await store.upsert({ indexName: "many", ids: vectors.map((_, n) => `${n}`), vectors, metadata });
    const queryVector = [0.5, -1, 2];
    for (const filter of [{}, { odd: true }]) {
      const found = await store.query({ indexName: "many", queryVector, topK: 4_000, filter });
      const scores = found.map(({ id, score }) => [Number(id), score] as const).sort(([one], [other]) => one - other);
      const expected = vectors.flatMap((vector, n) =>
        "odd" in filter && n % 2 === 0
          ? []
          : [[n, vectorScore(metric, Float32Array.from(vector), Float32Array.from(queryVector))]],
      );
      expect(scores).toEqual(expected);
    }
  },
);
