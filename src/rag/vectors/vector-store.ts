import type { Filter } from "./filter.js";

/** How the similarity of two vectors is measured. */
export type VectorMetric = "cosine" | "euclidean" | "dotproduct";

/**
 * How words are searched: `{ stems: "en" }` also finds other forms of an English word, so that "files" and "filing" find "file".
 * Stems are made by the store's own means: `english` of PostgreSQL, which leaves out words such as "the", and `porter` of SQLite.
 * `memoryVectors` has none.
 */
export interface WordStems {
  /** The language whose forms of words are one word. */
  readonly stems: "en";
}

/** Options of `createIndex`: with a dimension for an index of vectors, without one for an index of words only. */
export type CreateIndexOptions = CreateVectorIndexOptions | CreateWordIndexOptions;

/** Options of an index whose entries have vectors. */
export interface CreateVectorIndexOptions {
  /** 1 to 48 letters, digits and `_`, not starting with a digit. */
  readonly indexName: string;
  /** How many numbers each vector has. */
  readonly dimension: number;
  /** How vectors are compared. @default "cosine" */
  readonly metric?: VectorMetric | undefined;
  /** Whether the index supports text search (`queryText`), and whether it finds other forms of a word. @default true */
  readonly text?: boolean | WordStems | undefined;
}

/** Options of an index whose entries have no vectors: it is searched by words (`queryText`) and filters. */
export interface CreateWordIndexOptions {
  /** 1 to 48 letters, digits and `_`, not starting with a digit. */
  readonly indexName: string;
  /** Not possible here: the entries have no vectors. */
  readonly dimension?: never;
  /** Not possible here: the entries have no vectors. */
  readonly metric?: never;
  /** Whether other forms of a word are found too. @default true, for words as they are written */
  readonly text?: true | WordStems | undefined;
}

/** The settings and the size of an index. */
export interface IndexDescription {
  /** Missing if the index holds words only. */
  readonly dimension?: number | undefined;
  /** Missing if the index holds words only. */
  readonly metric?: VectorMetric | undefined;
  /** Whether `queryText` can be used, and whether it finds other forms of a word. */
  readonly text: boolean | WordStems;
  /** The number of entries. */
  readonly count: number;
}

/** Options of `upsert`. */
export type UpsertOptions = UpsertVectorsOptions | UpsertDocumentsOptions;

interface UpsertEntriesOptions {
  /** The name of the index. */
  readonly indexName: string;
  /** One per entry. An existing entry with the same id is replaced entirely. @default random ids */
  readonly ids?: readonly string[] | undefined;
  /** One object of JSON values per entry. @default {} */
  readonly metadata?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** The entries of an index with vectors. */
export interface UpsertVectorsOptions extends UpsertEntriesOptions {
  /** The vectors, one for each entry. */
  readonly vectors: readonly (readonly number[])[];
  /** One text per vector. @default "" */
  readonly documents?: readonly string[] | undefined;
}

/** The entries of an index of words only. */
export interface UpsertDocumentsOptions extends UpsertEntriesOptions {
  /** The texts, one for each entry. */
  readonly documents: readonly string[];
  /** Not possible here: the entries have no vectors. */
  readonly vectors?: undefined;
}

/** Options of `query`: a vector, words, a filter, or several of them. */
export interface QueryOptions {
  /** The name of the index. */
  readonly indexName: string;
  /** Finds the entries with the nearest vectors. */
  readonly queryVector?: readonly number[] | undefined;
  /** Finds documents with these words. Together with `queryVector`, both rankings count equally. */
  readonly queryText?: string | undefined;
  /** How many entries are returned. @default 10, at most 4,096 */
  readonly topK?: number | undefined;
  /**
   * Returns only entries whose metadata matches. A filter alone returns them by id. An undefined filter is an error, because a
   * lost value would select all entries; leave it out to search all of them.
   */
  readonly filter?: Filter;
  /** Returns only entries with at least this score. */
  readonly minScore?: number | undefined;
  /** Whether results have their vectors. @default false */
  readonly includeVector?: boolean | undefined;
  /** Whether to scan all entries instead of using an approximate index. @default false */
  readonly exact?: boolean | undefined;
}

/** An entry that a query found. */
export interface QueryResult {
  /** The id of the entry. */
  readonly id: string;
  /**
   * Larger is better. For a vector query, the cosine, the dot product, or 1 / (1 + distance). For a text query, a number that is
   * comparable only within this query. For both, the fused rank score. For a filter alone, 0.
   */
  readonly score: number;
  /** The text of the entry. */
  readonly document: string;
  /** The metadata of the entry. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The vector of the entry, with `includeVector: true`. */
  readonly vector?: number[];
}

/** Options of `update`. */
export interface UpdateOptions {
  /** The name of the index. */
  readonly indexName: string;
  /** The id of the entry. */
  readonly id: string;
  /** The new vector. */
  readonly vector?: readonly number[] | undefined;
  /** The new text. */
  readonly document?: string | undefined;
  /** Replaces all metadata. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `delete`: either ids, or a filter that selects entries, but not all of them. */
export type DeleteOptions =
  | {
      /** The name of the index. */
      readonly indexName: string;
      /** The ids of the entries to delete. */
      readonly ids: readonly string[];
      /** Selects the entries to delete, in place of `ids`. */
      readonly filter?: never;
    }
  | { readonly indexName: string; readonly filter: Filter; readonly ids?: never };

/**
 * Stores vectors with their documents and metadata, in named indexes. To implement your own store, check it with
 * `vectorStoreConformance` of `kumiko/testing`.
 *
 * @example
 * const store = memoryVectors();
 * await store.createIndex({ indexName: "docs", dimension: 2 });
 * await store.upsert({ indexName: "docs", ids: ["a"], vectors: [[1, 0]], metadata: [{ lang: "en" }] });
 * const [best] = await store.query({ indexName: "docs", queryVector: [1, 0.1], filter: { lang: "en" } });
 */
export interface VectorStore {
  /** Creates an index. Does nothing if it exists with the same settings; throws if it exists with others. */
  createIndex(options: CreateIndexOptions): Promise<void>;
  /** Returns the names of the indexes, sorted. */
  listIndexes(): Promise<string[]>;
  /** Returns the settings of an index and the number of its entries. */
  describeIndex(indexName: string): Promise<IndexDescription>;
  /** Deletes an index with all of its entries. */
  deleteIndex(indexName: string): Promise<void>;
  /** Writes all entries or none, and returns their ids. */
  upsert(options: UpsertOptions): Promise<string[]>;
  /** Returns the best entries first; entries with equal scores are sorted by id. */
  query(options: QueryOptions): Promise<QueryResult[]>;
  /** Changes the given parts of an existing entry. */
  update(options: UpdateOptions): Promise<void>;
  /** Deletes entries, and returns how many. Throws if the filter matches everything: `deleteIndex` deletes all. */
  delete(options: DeleteOptions): Promise<number>;
  /** Closes the store. Later calls reject with `STORE_FAILED`. */
  close(): Promise<void>;
}
