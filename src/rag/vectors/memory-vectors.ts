import type { VectorStore } from "./vector-store.js";

/**
 * A vector store in memory that scans all entries on each query. Use it for tests, and for up to some ten thousand entries.
 *
 * @example
 * const store = memoryVectors();
 * await store.createIndex({ indexName: "docs", dimension: 3 });
 * await store.upsert({ indexName: "docs", vectors: [[1, 0, 0]], documents: ["Kumiko is joined without nails."] });
 * console.log(await store.query({ indexName: "docs", queryText: "nails" }));
 */
export function memoryVectors(): VectorStore {
  let store: VectorStore | undefined;
  const open = async (): Promise<VectorStore> => {
    const { MemoryStore } = await import("./memory-store.js");
    store ??= new MemoryStore();
    return store;
  };
  return {
    createIndex: async (options) => (await open()).createIndex(options),
    listIndexes: async () => (await open()).listIndexes(),
    describeIndex: async (indexName) => (await open()).describeIndex(indexName),
    deleteIndex: async (indexName) => (await open()).deleteIndex(indexName),
    upsert: async (options) => (await open()).upsert(options),
    query: async (options) => (await open()).query(options),
    update: async (options) => (await open()).update(options),
    delete: async (options) => (await open()).delete(options),
    close: async () => (await open()).close(),
  };
}
