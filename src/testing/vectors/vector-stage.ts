import { KumikoError } from "../../errors.js";
import type { CreateVectorIndexOptions, VectorStore } from "../../rag/vectors/vector-store.js";
import { type ConformanceCheck, expectSame, rejectionOf } from "../conformance.js";

/** Opens a store. Each check opens and closes its own. */
export type OpenVectors = () => VectorStore | Promise<VectorStore>;

export type VectorChecks = (check: VectorCheck) => ConformanceCheck[];
export type VectorCheck = (name: string, run: (stage: VectorStage) => Promise<void>) => ConformanceCheck;

/** A store, and the name of an index that no other check uses. */
export class VectorStage {
  readonly store: VectorStore;
  readonly indexName: string;

  constructor(store: VectorStore) {
    this.store = store;
    this.indexName = `check_${crypto.randomUUID().replaceAll("-", "")}`;
  }

  /** Creates the index. */
  async create(options: Partial<CreateVectorIndexOptions> = {}): Promise<void> {
    await this.store.createIndex({ indexName: this.indexName, dimension: 2, ...options });
  }

  /** Creates the index without vectors, with these documents. */
  async createWords(entries: Readonly<Record<string, PutEntry>>): Promise<void> {
    const { store, indexName } = this;
    await store.createIndex({ indexName });
    const all = Object.entries(entries);
    await store.upsert({
      indexName,
      ids: all.map(([id]) => id),
      documents: all.map(([, { document }]) => document ?? ""),
      metadata: all.map(([, { metadata }]) => metadata ?? {}),
    });
  }

  /** Writes one entry per id, with the vector [1, 0] unless another is given. */
  async put(entries: Readonly<Record<string, PutEntry>>): Promise<void> {
    const all = Object.entries(entries);
    await this.store.upsert({
      indexName: this.indexName,
      ids: all.map(([id]) => id),
      vectors: all.map(([, { vector }]) => vector ?? [1, 0]),
      documents: all.map(([, { document }]) => document ?? ""),
      metadata: all.map(([, { metadata }]) => metadata ?? {}),
    });
  }

  /** The ids that a query finds, in order. */
  async find(query: Omit<Parameters<VectorStore["query"]>[0], "indexName">): Promise<string[]> {
    const found = await this.store.query({ indexName: this.indexName, ...query });
    return found.map(({ id }) => id);
  }

  async count(): Promise<number> {
    return (await this.store.describeIndex(this.indexName)).count;
  }
}

export interface PutEntry {
  readonly vector?: readonly number[];
  readonly document?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export async function expectCode(promise: Promise<unknown>, code: string, what: string): Promise<KumikoError> {
  const error = await rejectionOf(promise, what);
  expectSame(KumikoError.is(error) ? error.code : error, code, `The code of the error of ${what}`);
  return error as KumikoError;
}

/** Compares values of JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  expectSame(JSON.stringify(sortKeys(actual)), JSON.stringify(sortKeys(expected)), what);
}

/** Sorts keys, because databases do not keep the order of fields. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sortKeys(inner)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
