/**
 * A text with an id and metadata, which you choose. Plain data. The optional fields are what retrievers, indexers and embedders
 * know about it.
 *
 * @example
 * const page: Document = { id: "1", content: "Kumiko is joined without nails.", metadata: { source: "book" }, score: 0.92 };
 */
export interface Document {
  /** The id of the document, unique in an index. */
  readonly id: string;
  /** The text of the document. */
  readonly content: string;
  /** Data about the document, such as its source: filters search it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The score that a retriever gave it. */
  readonly score?: number | undefined;
  /** Its embedding. */
  readonly denseVector?: readonly number[] | undefined;
  /** Its sparse embedding. */
  readonly sparseVector?: SparseVector | undefined;
  /** The names of the sub-indexes in which an indexer should store it. */
  readonly subIndexes?: readonly string[] | undefined;
  /** The query that found it, in the store's own query language. */
  readonly dsl?: Readonly<Record<string, unknown>> | undefined;
  /** A text that travels with it. */
  readonly extra?: string | undefined;
}

/** The weight of each dimension by its index; missing dimensions have weight 0. */
export type SparseVector = Readonly<Record<number, number>>;
