import { isFields } from "../is.js";

/** A text with an id and metadata, which you choose. Plain data. */
export interface Document {
  readonly id: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The weight of each dimension by its index; missing dimensions have weight 0. */
export type SparseVector = Readonly<Record<number, number>>;

// Retrievers and indexers keep what they know about a document in its metadata, under keys that begin with an underscore.
// `with…` returns a copy; `…Of` returns `undefined` when the value is missing or has another type.

/**
 * Returns a copy of a document with the score that a retriever gave it.
 *
 * @example
 * const page = withScore({ id: "1", content: "Kumiko is joined without nails.", metadata: {} }, 0.92);
 * console.log(scoreOf(page));
 */
export function withScore(document: Document, score: number): Document {
  return withMetadata(document, "_score", score);
}

/** The score that a retriever gave a document. */
export function scoreOf({ metadata }: Document): number | undefined {
  return typeof metadata._score === "number" ? metadata._score : undefined;
}

/** Returns a copy of a document with the names of the sub-indexes in which an indexer should store it. */
export function withSubIndexes(document: Document, subIndexes: readonly string[]): Document {
  return withMetadata(document, "_sub_indexes", subIndexes);
}

/** The sub-indexes in which an indexer should store a document. */
export function subIndexesOf({ metadata }: Document): readonly string[] | undefined {
  return isListOf(metadata._sub_indexes, isString) ? metadata._sub_indexes : undefined;
}

/** Returns a copy of a document with a text that travels with it. */
export function withExtraInfo(document: Document, extraInfo: string): Document {
  return withMetadata(document, "_extra_info", extraInfo);
}

/** The text that travels with a document. */
export function extraInfoOf({ metadata }: Document): string | undefined {
  return isString(metadata._extra_info) ? metadata._extra_info : undefined;
}

/** Returns a copy of a document with the query that found it, in the store's own query language. */
export function withDslInfo(document: Document, dslInfo: Readonly<Record<string, unknown>>): Document {
  return withMetadata(document, "_dsl", dslInfo);
}

/** The query, in the store's own language, that found a document. */
export function dslInfoOf({ metadata }: Document): Readonly<Record<string, unknown>> | undefined {
  return isFields(metadata._dsl) ? metadata._dsl : undefined;
}

/** Returns a copy of a document with its embedding. */
export function withDenseVector(document: Document, vector: readonly number[]): Document {
  return withMetadata(document, "_dense_vector", vector);
}

/** The embedding of a document. */
export function denseVectorOf({ metadata }: Document): readonly number[] | undefined {
  return isListOf(metadata._dense_vector, isNumber) ? metadata._dense_vector : undefined;
}

/** Returns a copy of a document with its sparse embedding. */
export function withSparseVector(document: Document, vector: SparseVector): Document {
  return withMetadata(document, "_sparse_vector", vector);
}

/** The sparse embedding of a document. */
export function sparseVectorOf({ metadata }: Document): SparseVector | undefined {
  const vector = metadata._sparse_vector;
  return isFields(vector) && Object.values(vector).every(isNumber) ? (vector as SparseVector) : undefined;
}

function withMetadata(document: Document, key: string, value: unknown): Document {
  return { ...document, metadata: { ...document.metadata, [key]: value } };
}

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}
