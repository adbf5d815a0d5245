import { Chain, type Document } from "kumiko";
import {
  type AnyEmbedder,
  createGraphRAGTool,
  createVectorQueryTool,
  type Filter,
  splitter,
  type VectorStore,
  vectorIndexer,
  vectorRetriever,
} from "kumiko/rag";
import { expectTypeOf, it } from "vitest";

declare const store: VectorStore;
declare const embedder: AnyEmbedder;
declare const tenant: string | undefined;
declare const filter: Filter | undefined;
const [indexName, index, vectors, ids] = ["docs", "docs", [[1, 0]], ["a"]];

it("refuses undefined in filters", () => {
  void store.query({
    indexName,
    queryText: "a",
    filter: { tenant: "ada", year: { $gte: 2020 }, $not: { draft: true } },
  });
  // @ts-expect-error a value may be missing
  void store.query({ indexName, queryText: "a", filter: { tenant } });
  // @ts-expect-error an operand may be missing
  void store.query({ indexName, queryText: "a", filter: { tenant: { $eq: tenant } } });
  // @ts-expect-error an item may be missing
  void store.query({ indexName, queryText: "a", filter: { tenant: { $in: ["ada", tenant] } } });
  // @ts-expect-error a value of an inner filter may be missing
  void store.query({ indexName, queryText: "a", filter: { $and: [{ lang: "en" }, { tenant }] } });
  // @ts-expect-error an inner filter may be missing
  void store.query({ indexName, queryText: "a", filter: { $not: filter } });
  // @ts-expect-error the filter may be missing
  void store.query({ indexName, queryText: "a", filter });
  // @ts-expect-error the filter may be missing
  vectorRetriever(store, { index, embedder, filter });
  // @ts-expect-error the filter may be missing
  createVectorQueryTool({ indexName, model: embedder, filter });
});

it("deletes by ids or by a filter, never by nothing", () => {
  void store.delete({ indexName, ids });
  void store.delete({ indexName, filter: { tenant: "ada" } });
  // @ts-expect-error neither ids nor a filter
  void store.delete({ indexName });
  // @ts-expect-error both
  void store.delete({ indexName, ids, filter: { tenant: "ada" } });
  // @ts-expect-error the filter may be missing
  void store.delete({ indexName, filter });
  // @ts-expect-error an undefined list
  void store.delete({ indexName, ids: undefined, filter: { tenant: "ada" } });
});

it("has indexes with vectors, and indexes of words only", () => {
  void store.createIndex({ indexName, dimension: 2, metric: "euclidean", text: false });
  void store.createIndex({ indexName });
  // @ts-expect-error a dimension that was lost
  void store.createIndex({ indexName, dimension: undefined });
  // @ts-expect-error words have no metric
  void store.createIndex({ indexName, metric: "cosine" });
  // @ts-expect-error an index that can hold nothing
  void store.createIndex({ indexName, text: false });
  void store.createIndex({ indexName, text: { stems: "en" } });
  void store.createIndex({ indexName, dimension: 2, text: { stems: "en" } });
  // @ts-expect-error a language without stems
  void store.createIndex({ indexName, text: { stems: "de" } });
  vectorIndexer(store, { index: { indexName, text: { stems: "en" } } });
  void store.upsert({ indexName, ids, vectors });
  void store.upsert({ indexName, ids, documents: ["oak"] });
  // @ts-expect-error entries without vectors and documents
  void store.upsert({ indexName, ids });
});

it("needs an embedder only for vectors", () => {
  vectorIndexer(store, { index });
  vectorRetriever(store, { index });
  vectorRetriever(store, { index, embedder, hybrid: { weight: 0.3 } });
  // @ts-expect-error both kinds of search need an embedder
  vectorRetriever(store, { index, hybrid: true });
  createVectorQueryTool({ indexName });
  // @ts-expect-error a graph needs vectors
  createGraphRAGTool({ indexName });
});

it("calls components with a context, with parts of one, and without", () => {
  const retriever = vectorRetriever(store, { index });
  expectTypeOf(retriever.retrieve("a")).toEqualTypeOf<Promise<Document[]>>();
  expectTypeOf(retriever.retrieve("a", { options: { topK: 3 } })).toEqualTypeOf<Promise<Document[]>>();
  // @ts-expect-error an unknown option
  void retriever.retrieve("a", { options: { top: 3 } });
  void vectorIndexer(store, { index }).store([], { options: { index: "other" } });
  void splitter("auto").transform([], { signal: AbortSignal.timeout(1) });
  const chain = new Chain<Document[]>().append(splitter("auto")).append(vectorIndexer(store, { index })).compile();
  expectTypeOf(chain.invoke([])).toEqualTypeOf<Promise<string[]>>();
});
