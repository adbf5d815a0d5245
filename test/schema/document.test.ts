import { describe, expect, it } from "vitest";
import * as documents from "../../src/schema/document.js";

const page: documents.Document = { id: "1", content: "text", metadata: { source: "book" } };

describe("what is known about a document", () => {
  it("stands in its metadata, beside the user's own", () => {
    let known = documents.withScore(page, 0.5);
    known = documents.withSubIndexes(known, ["a", "b"]);
    known = documents.withExtraInfo(known, "info");
    known = documents.withDslInfo(known, { query: 1 });
    known = documents.withDenseVector(known, [0.1, 0.2]);
    known = documents.withSparseVector(known, { 3: 0.5 });
    expect(known).toEqual({
      id: "1",
      content: "text",
      metadata: {
        source: "book",
        _score: 0.5,
        _sub_indexes: ["a", "b"],
        _extra_info: "info",
        _dsl: { query: 1 },
        _dense_vector: [0.1, 0.2],
        _sparse_vector: { 3: 0.5 },
      },
    });
    expect(documents.scoreOf(known)).toBe(0.5);
    expect(documents.subIndexesOf(known)).toEqual(["a", "b"]);
    expect(documents.extraInfoOf(known)).toBe("info");
    expect(documents.dslInfoOf(known)).toEqual({ query: 1 });
    expect(documents.denseVectorOf(known)).toEqual([0.1, 0.2]);
    expect(documents.sparseVectorOf(known)).toEqual({ 3: 0.5 });
  });

  it("is set on a copy", () => {
    expect(documents.withScore(page, 1)).not.toBe(page);
    expect(page.metadata).toEqual({ source: "book" });
  });

  const readers = {
    _score: documents.scoreOf,
    _sub_indexes: documents.subIndexesOf,
    _extra_info: documents.extraInfoOf,
    _dsl: documents.dslInfoOf,
    _dense_vector: documents.denseVectorOf,
    _sparse_vector: documents.sparseVectorOf,
  };

  it.each(Object.entries(readers))("%s is undefined when missing or of another type", (key, read) => {
    expect(read(page)).toBeUndefined();
    for (const value of [true, [true], { a: true }]) {
      const isRecord = key === "_dsl" && !Array.isArray(value) && typeof value === "object";
      if (!isRecord) expect(read({ ...page, metadata: { [key]: value } })).toBeUndefined();
    }
  });
});
