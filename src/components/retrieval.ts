import type { Document } from "../schema/document.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { NodeContext } from "./context.js";

/** Creates messages from variables. */
export interface Template<Variables = Record<string, unknown>, Options = unknown> {
  readonly component: "template";
  /** The type of the template for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Creates the messages. */
  format(variables: Variables, ctx: NodeContext<unknown, Options>): Promise<AgenticMessage[]>;
}

/** Finds documents for a query. */
export interface Retriever<Options = RetrieverOptions> {
  readonly component: "retriever";
  /** The type of the retriever for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Returns the documents that fit the query, the best first. */
  retrieve(query: string, ctx: NodeContext<unknown, Options>): Promise<Document[]>;
}

/** Call options of a {@link Retriever}. */
export interface RetrieverOptions {
  /** The index to search. */
  readonly index?: string | undefined;
  /** The most documents to return. */
  readonly topK?: number | undefined;
  /** Leaves out documents with a lower score. */
  readonly scoreThreshold?: number | undefined;
}

/** Computes a vector for each text, in order. */
export interface Embedder<Options = EmbedderOptions> {
  readonly component: "embedder";
  /** The type of the embedder for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Returns one vector for each text, in order. */
  embed(texts: readonly string[], ctx: NodeContext<unknown, Options>): Promise<number[][]>;
}

/** Call options of an {@link Embedder}. */
export interface EmbedderOptions {
  /** The model's name at its provider. */
  readonly model?: string | undefined;
}

/** Stores documents and returns their ids, in order. */
export interface Indexer<Options = IndexerOptions> {
  readonly component: "indexer";
  /** The type of the indexer for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Stores the documents and returns their ids, in order. */
  store(documents: readonly Document[], ctx: NodeContext<unknown, Options>): Promise<string[]>;
}

/** Call options of an {@link Indexer}. */
export interface IndexerOptions {
  /** The index to store into. */
  readonly index?: string | undefined;
}

/** Where a loader reads from. */
export interface DocumentSource {
  /** A URL, a path, or whatever the loader reads. */
  readonly uri: string;
}

/** Reads documents from a source. */
export interface Loader<Options = unknown> {
  readonly component: "loader";
  /** The type of the loader for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Reads the documents of a source. */
  load(source: DocumentSource, ctx: NodeContext<unknown, Options>): Promise<Document[]>;
}

/** Splits, filters or rewrites documents. */
export interface Transformer<Options = unknown> {
  readonly component: "transformer";
  /** The type of the transformer for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Returns the documents that take the place of the given ones. */
  transform(documents: readonly Document[], ctx: NodeContext<unknown, Options>): Promise<Document[]>;
}
