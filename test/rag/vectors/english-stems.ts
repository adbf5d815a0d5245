import type { VectorStore } from "kumiko/rag";
import { expect } from "vitest";

const documents = {
  file: "The filing of a file: files are kept in cabinets.",
  run: "Running runs: RUN_ID names one.",
  tea: "Tea is served hot. 組子は釘を使わない。",
};

/** Checks that a store finds other forms of an English word, in indexes of words and of vectors, also after changes. */
export async function expectEnglishStems(store: VectorStore): Promise<void> {
  const found = async (indexName: string, queryText: string) =>
    (await store.query({ indexName, queryText })).map(({ id }) => id);
  const text = { stems: "en" } as const;
  const ids = Object.keys(documents);
  await store.createIndex({ indexName: "stems", text });
  await store.upsert({ indexName: "stems", ids, documents: Object.values(documents) });
  expect(await store.describeIndex("stems")).toEqual({ text, count: 3 });
  for (const [query, expected] of [
    ["cabinet", ["file"]],
    ["filed", ["file"]],
    ["run's identifiers", ["run"]],
    ["SERVING", ["tea"]],
    ["釘を使わない", ["tea"]],
    ["'quoted' \\ & | ! (", []],
    ["", []],
  ] as const)
    expect.soft(await found("stems", query), query).toEqual(expected);
  expect((await found("stems", "serves cabinets")).sort()).toEqual(["file", "tea"]);

  await store.update({ indexName: "stems", id: "tea", document: "Slats of cedar." });
  expect(await found("stems", "served")).toEqual([]);
  expect(await found("stems", "slat")).toEqual(["tea"]);
  await store.createIndex({ indexName: "stems", text });
  await expect(store.createIndex({ indexName: "stems" })).rejects.toMatchObject({ code: "INVALID_OPTION" });

  await store.createIndex({ indexName: "both", dimension: 2, text });
  await store.upsert({ indexName: "both", ids: ["x"], vectors: [[1, 0]], documents: ["Nails"] });
  expect(await store.describeIndex("both")).toEqual({ dimension: 2, metric: "cosine", text, count: 1 });
  expect(await found("both", "nailed")).toEqual(["x"]);
}
