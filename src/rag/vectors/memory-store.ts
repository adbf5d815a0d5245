import { compareTexts } from "./compare-texts.js";
import { indexSettingsDiffer, noStems, unknownIndex, vectorsClosed } from "./errors.js";
import { MemoryIndex } from "./memory-index.js";
import {
  checkIndexName,
  hasStems,
  readDelete,
  readEntryRows,
  readIndexSettings,
  readQuery,
  readUpdate,
} from "./requests.js";
import { searchIndex } from "./search-index.js";
import type {
  CreateIndexOptions,
  DeleteOptions,
  IndexDescription,
  QueryOptions,
  QueryResult,
  UpdateOptions,
  UpsertOptions,
  VectorStore,
} from "./vector-store.js";

/** The implementation of `memoryVectors`, loaded on first use. */
export class MemoryStore implements VectorStore {
  readonly #indexes = new Map<string, MemoryIndex>();
  #closed = false;

  async createIndex(options: CreateIndexOptions): Promise<void> {
    this.#checkOpen();
    const name = checkIndexName(options.indexName);
    const settings = readIndexSettings(options);
    if (hasStems(settings)) throw noStems();
    const found = this.#indexes.get(name)?.settings;
    if (found === undefined) this.#indexes.set(name, new MemoryIndex(settings));
    else if (JSON.stringify(found) !== JSON.stringify(settings)) throw indexSettingsDiffer(name, found, settings);
  }

  async listIndexes(): Promise<string[]> {
    this.#checkOpen();
    return [...this.#indexes.keys()].sort(compareTexts);
  }

  async describeIndex(indexName: string): Promise<IndexDescription> {
    const index = this.#get(indexName);
    return { ...index.settings, count: index.count };
  }

  async deleteIndex(indexName: string): Promise<void> {
    this.#get(indexName);
    this.#indexes.delete(indexName);
  }

  async upsert(options: UpsertOptions): Promise<string[]> {
    const index = this.#get(options.indexName);
    const { ids, rows } = readEntryRows(options, index.settings);
    for (const row of rows) index.put(row);
    return ids;
  }

  async query(options: QueryOptions): Promise<QueryResult[]> {
    const index = this.#get(options.indexName);
    const request = readQuery(options, index.settings);
    const hits = searchIndex(options.indexName, index.settings, request, {
      nearest: (vector, count) => index.nearest(vector, count, request.condition),
      withWords: (text, count) => index.withWords(text, count, request.condition),
      matching: (count) => index.matching(count, request.condition),
    });
    return hits.flatMap(({ id, score }) => {
      const entry = index.get(id);
      if (entry === undefined) return [];
      const result = { id, score, document: entry.document, metadata: structuredClone(entry.metadata) };
      return [request.includeVector ? { ...result, vector: index.vectorOf(id) } : result];
    });
  }

  async update(options: UpdateOptions): Promise<void> {
    const index = this.#get(options.indexName);
    index.update(options.indexName, readUpdate(options, index.settings));
  }

  async delete(options: DeleteOptions): Promise<number> {
    return this.#get(options.indexName).delete(readDelete(options));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#indexes.clear();
  }

  #get(name: unknown): MemoryIndex {
    this.#checkOpen();
    const known = checkIndexName(name);
    const index = this.#indexes.get(known);
    if (index === undefined) throw unknownIndex(known, [...this.#indexes.keys()]);
    return index;
  }

  #checkOpen(): void {
    if (this.#closed) throw vectorsClosed("memoryVectors");
  }
}
