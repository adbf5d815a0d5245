/**
 * Documents, chunks, vector stores and retrieval. HTML needs the package `parse5`, tokens need `gpt-tokenizer`.
 *
 * @packageDocumentation
 */

export type { Chunk } from "./chunk.js";
export type {
  CharacterOptions,
  ChunkOptions,
  ChunkStrategy,
  DefaultChunkOptions,
  HtmlOptions,
  JsonOptions,
  LatexOptions,
  MarkdownOptions,
  OverlapOptions,
  RecursiveOptions,
  SemanticMarkdownOptions,
  SemanticOptions,
  SentenceOptions,
  SeparatorOptions,
  SizeOptions,
  StrategyOptions,
  TokenOptions,
} from "./chunking/chunk-options.js";
export type { TokenizerOptions } from "./chunking/tokenizer.js";
export type { AnyEmbedder, EmbeddingModelLike } from "./embedding/any-embedder.js";
export type { EmbedOptions } from "./embedding/embed-texts.js";
export type { ExtractOptions, ExtractorOptions } from "./extraction/extract-options.js";
export { MDocument, type MDocumentOptions, type MDocumentSource } from "./m-document.js";
export {
  type MultiQueryOptions,
  multiQueryRetriever,
  type ParentOptions,
  parentRetriever,
  type RouterOptions,
  routerRetriever,
} from "./retrieval/combined-retrievers.js";
export { type FuseOptions, fuse } from "./retrieval/fuse.js";
export { type GraphNode, type GraphQuery, GraphRAG, type GraphRAGOptions } from "./retrieval/graph-rag.js";
export { type MmrOptions, mmr } from "./retrieval/mmr.js";
export type {
  GraphRAGToolOptions,
  QueryableStore,
  QueryToolOptions,
  QueryToolResult,
  StoreHit,
  VectorQueryToolOptions,
} from "./retrieval/query-tool-options.js";
export { createGraphRAGTool, createVectorQueryTool, type QueryTool } from "./retrieval/query-tools.js";
export { type Reranker, type RerankOptions, type RerankWeights, rerank } from "./retrieval/rerank.js";
export {
  type DocumentIndexer,
  type EmbeddedRetrieverOptions,
  type HybridOptions,
  type QueryRetriever,
  type VectorIndexerOptions,
  type VectorRetrieverOptions,
  vectorIndexer,
  vectorRetriever,
  type WordRetrieverOptions,
} from "./retrieval/vector-retriever.js";
export { type DocumentSplitter, type SplitterOptions, splitter } from "./splitter.js";
export type { Filter, FilterOperators, FilterValue } from "./vectors/filter.js";
export { memoryVectors } from "./vectors/memory-vectors.js";
export type {
  CreateIndexOptions,
  CreateVectorIndexOptions,
  CreateWordIndexOptions,
  DeleteOptions,
  IndexDescription,
  QueryOptions,
  QueryResult,
  UpdateOptions,
  UpsertDocumentsOptions,
  UpsertOptions,
  UpsertVectorsOptions,
  VectorMetric,
  VectorStore,
  WordStems,
} from "./vectors/vector-store.js";
