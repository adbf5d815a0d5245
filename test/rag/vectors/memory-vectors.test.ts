import { describe, expect, it } from "vitest";
import { memoryVectors } from "../../../src/rag/vectors/memory-vectors.js";
import { vectorStoreConformance } from "../../../src/testing/vector-store-conformance.js";

describe("memoryVectors", () => {
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
