export type { Chunk } from "./chunk.js";
export type {
  CharacterOptions,
  ChunkOptions,
  ChunkStrategy,
  DefaultChunkOptions,
  HtmlOptions,
  JsonOptions,
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
export { type SplitterOptions, splitter } from "./splitter.js";
export type { Filter, FilterOperators, FilterValue } from "./vectors/filter.js";
export { memoryVectors } from "./vectors/memory-vectors.js";
export type {
  CreateIndexOptions,
  DeleteOptions,
  IndexDescription,
  QueryOptions,
  QueryResult,
  UpdateOptions,
  UpsertOptions,
  VectorMetric,
  VectorStore,
} from "./vectors/vector-store.js";
