import type { Filter } from "./filter.js";

/** How alike two vectors are. */
export type VectorMetric = "cosine" | "euclidean" | "dotproduct";

/** Options of `createIndex`. */
export interface CreateIndexOptions {
  /** Letters, digits and `_`, no digit first, at most 48. */
  readonly indexName: string;
  readonly dimension: number;
  /** @default "cosine" */
  readonly metric?: VectorMetric | undefined;
  /** Whether documents can be found by their words too. @default true */
  readonly text?: boolean | undefined;
}

/** The settings of an index, and how many entries it has. */
export interface IndexDescription {
  readonly dimension: number;
  readonly metric: VectorMetric;
  readonly text: boolean;
  /** How many entries it has. */
  readonly count: number;
}

/** Options of `upsert`. */
export interface UpsertOptions {
  readonly indexName: string;
  readonly vectors: readonly (readonly number[])[];
  /** One for each vector. An id that is there already is replaced, with all that belongs to it. @default random ones */
  readonly ids?: readonly string[] | undefined;
  /** The texts, one for each vector. @default "" */
  readonly documents?: readonly string[] | undefined;
  /** Values of JSON, one object for each vector. @default {} */
  readonly metadata?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** Options of `query`. */
export interface QueryOptions {
  readonly indexName: string;
  /** Finds the entries with the nearest vectors. */
  readonly queryVector?: readonly number[] | undefined;
  /** Finds documents with these words; with a `queryVector` too, both ranks count, one half each. */
  readonly queryText?: string | undefined;
  /** @default 10, at most 4,096 */
  readonly topK?: number | undefined;
  /** Only entries whose metadata fits. */
  readonly filter?: Filter | undefined;
  /** Only entries with at least this score. */
  readonly minScore?: number | undefined;
  /** @default false */
  readonly includeVector?: boolean | undefined;
  /** Whether an index that may miss some looks at all entries. @default false */
  readonly exact?: boolean | undefined;
}

/** An entry that a query found. */
export interface QueryResult {
  readonly id: string;
  /**
   * Larger is better. Of vectors: the cosine, the dot product, or 1 / (1 + the distance). Of words: a number that says nothing
   * outside of this query. Of both: what the ranks make together.
   */
  readonly score: number;
  readonly document: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly vector?: number[];
}

/** Options of `update`. */
export interface UpdateOptions {
  readonly indexName: string;
  readonly id: string;
  readonly vector?: readonly number[] | undefined;
  readonly document?: string | undefined;
  /** Replaces all metadata. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Which entries to delete: these, or all that fit. */
export type DeleteOptions =
  | { readonly indexName: string; readonly ids: readonly string[]; readonly filter?: undefined }
  | { readonly indexName: string; readonly filter: Filter; readonly ids?: undefined };

/**
 * Keeps vectors with their documents and metadata, in indexes. `vectorStoreConformance` in `kumiko/testing` checks a store
 * of your own.
 *
 * @example
 * const store = memoryVectors();
 * await store.createIndex({ indexName: "docs", dimension: 2 });
 * await store.upsert({ indexName: "docs", ids: ["a"], vectors: [[1, 0]], metadata: [{ lang: "en" }] });
 * const [best] = await store.query({ indexName: "docs", queryVector: [1, 0.1], filter: { lang: "en" } });
 */
export interface VectorStore {
  /** Makes an index. One that is there with the same settings stays as it is; with others, it is an error. */
  createIndex(options: CreateIndexOptions): Promise<void>;
  /** The names of the indexes, in order. */
  listIndexes(): Promise<string[]>;
  describeIndex(indexName: string): Promise<IndexDescription>;
  deleteIndex(indexName: string): Promise<void>;
  /** Writes all entries or none, and gives their ids. */
  upsert(options: UpsertOptions): Promise<string[]>;
  /** The best entries first; those with equal scores by their ids. */
  query(options: QueryOptions): Promise<QueryResult[]>;
  /** Changes what is given of an entry that exists. */
  update(options: UpdateOptions): Promise<void>;
  /** How many entries are gone. */
  delete(options: DeleteOptions): Promise<number>;
  close(): Promise<void>;
}
