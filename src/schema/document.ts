import { isFields } from "../is.js";

/** A piece of text with what is known about it. Plain data; ids and metadata are the user's own. */
export interface Document {
  readonly id: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How much each dimension weighs; dimensions that are not named weigh nothing. */
export type SparseVector = Readonly<Record<number, number>>;

// What retrievers and indexers know about a document stands in its metadata, under names with an underscore.
// `with…` gives a copy; `…Of` gives `undefined` when the value is missing or of another type.

/**
 * A copy with the score that a retriever gave.
 *
 * @example
 * const page = withScore({ id: "1", content: "Kumiko is joined without nails.", metadata: {} }, 0.92);
 * console.log(scoreOf(page));
 */
export function withScore(document: Document, score: number): Document {
  return withMetadata(document, "_score", score);
}

export function scoreOf({ metadata }: Document): number | undefined {
  return typeof metadata._score === "number" ? metadata._score : undefined;
}

/** A copy with the sub-indexes in which an indexer should store it. */
export function withSubIndexes(document: Document, subIndexes: readonly string[]): Document {
  return withMetadata(document, "_sub_indexes", subIndexes);
}

export function subIndexesOf({ metadata }: Document): readonly string[] | undefined {
  return isListOf(metadata._sub_indexes, isString) ? metadata._sub_indexes : undefined;
}

/** A copy with a text that travels with the document. */
export function withExtraInfo(document: Document, extraInfo: string): Document {
  return withMetadata(document, "_extra_info", extraInfo);
}

export function extraInfoOf({ metadata }: Document): string | undefined {
  return isString(metadata._extra_info) ? metadata._extra_info : undefined;
}

/** A copy with the query of the store's own language that found it. */
export function withDslInfo(document: Document, dslInfo: Readonly<Record<string, unknown>>): Document {
  return withMetadata(document, "_dsl", dslInfo);
}

export function dslInfoOf({ metadata }: Document): Readonly<Record<string, unknown>> | undefined {
  return isFields(metadata._dsl) ? metadata._dsl : undefined;
}

/** A copy with its embedding. */
export function withDenseVector(document: Document, vector: readonly number[]): Document {
  return withMetadata(document, "_dense_vector", vector);
}

export function denseVectorOf({ metadata }: Document): readonly number[] | undefined {
  return isListOf(metadata._dense_vector, isNumber) ? metadata._dense_vector : undefined;
}

/** A copy with its sparse embedding. */
export function withSparseVector(document: Document, vector: SparseVector): Document {
  return withMetadata(document, "_sparse_vector", vector);
}

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
