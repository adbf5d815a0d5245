import type { Document } from "../schema/document.js";
import type { Chunk } from "./chunk.js";
import type { ChunkOptions, ChunkStrategy } from "./chunking/chunk-options.js";
import { checkMetadata, strategyFor } from "./chunking/source-document.js";
import type { AnyEmbedder } from "./embedding/any-embedder.js";
import { type EmbedOptions, embedTexts } from "./embedding/embed-texts.js";
import { invalidDocument } from "./errors.js";
import type { ExtractOptions } from "./extraction/extract-options.js";

/** Options of the constructors of {@link MDocument}. */
export interface MDocumentOptions {
  /** The document's id, with which the ids of its chunks begin. @default `uri`, else the SHA-256 of the text */
  readonly id?: string | undefined;
  /** Where the document comes from; also added to the metadata. */
  readonly uri?: string | undefined;
  /** Copied to every chunk. The keys `start` and `end` are reserved. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The text of an {@link MDocument}, with options. */
export interface MDocumentSource extends MDocumentOptions {
  /** The text. */
  readonly text: string;
  /** Selects the default strategy; if missing, the extension of `uri` does (`.md`, `.html`, `.json`, `.tex`). */
  readonly mimeType?: string | undefined;
}

/**
 * A document that can be split into chunks. Each chunk has its exact position in the document, and together they cover all of it.
 *
 * @example
 * const document = MDocument.fromMarkdown("# Kumiko\n\nJoined without nails.", { id: "kumiko" });
 * const chunks = await document.chunk({ strategy: "markdown", headers: [["#", "title"]], size: 1_000 });
 * console.log(chunks.map(({ id, text, metadata }) => [id, text, metadata.title]));
 */
export class MDocument {
  readonly #text: string;
  readonly #id: string | undefined;
  readonly #strategy: ChunkStrategy;
  readonly #metadata: Readonly<Record<string, unknown>>;
  #chunks: readonly Chunk[] | undefined;

  private constructor(text: string, strategy: ChunkStrategy, { id, uri, metadata = {} }: MDocumentOptions) {
    if (typeof text !== "string")
      throw invalidDocument(`The text of a document must be a string (got ${typeof text}).`);
    checkMetadata(metadata);
    this.#text = text;
    this.#id = id ?? uri;
    this.#strategy = strategy;
    this.#metadata = uri === undefined ? { ...metadata } : { uri, ...metadata };
  }

  /** A text of any kind, split by paragraphs, lines, sentences and words. */
  static fromText(text: string, options: MDocumentOptions = {}): MDocument {
    return new MDocument(text, "recursive", options);
  }

  static fromMarkdown(text: string, options: MDocumentOptions = {}): MDocument {
    return new MDocument(text, "markdown", options);
  }

  /** Needs the package parse5. */
  static fromHTML(text: string, options: MDocumentOptions = {}): MDocument {
    return new MDocument(text, "html", options);
  }

  static fromLaTeX(text: string, options: MDocumentOptions = {}): MDocument {
    return new MDocument(text, "latex", options);
  }

  static fromJSON(text: string, options: MDocumentOptions = {}): MDocument {
    return new MDocument(text, "json", options);
  }

  /** Picks the default strategy by the MIME type, or else by the extension of the URI. */
  static from({ text, mimeType, ...options }: MDocumentSource): MDocument {
    return new MDocument(text, strategyFor(mimeType, options.uri), options);
  }

  /** Splits the document and stores the chunks. Throws if an option does not belong to the strategy. */
  async chunk(options: ChunkOptions = {}): Promise<Chunk[]> {
    const { chunkDocument } = await import("./chunking/chunk-document.js");
    this.#chunks = await chunkDocument(
      { text: this.#text, id: this.#id, strategy: this.#strategy, metadata: this.#metadata },
      options,
    );
    return [...this.#chunks];
  }

  /** Adds an embedding to each chunk. Splits the document first if `chunk` was not called. */
  async embed(embedder: AnyEmbedder, options: EmbedOptions = {}): Promise<Chunk[]> {
    const chunks = this.#chunks ?? (await this.chunk());
    const vectors = await embedTexts(
      embedder,
      chunks.map(({ text }) => text),
      options,
    );
    this.#chunks = chunks.map((chunk, index) => ({ ...chunk, embedding: vectors[index] ?? [] }));
    return [...this.#chunks];
  }

  /** Has a model extract metadata from each chunk. Splits the document first if `chunk` was not called. */
  async extractMetadata(options: ExtractOptions): Promise<this> {
    const chunks = this.#chunks ?? (await this.chunk());
    this.#chunks = await (await import("./extraction/extract-metadata.js")).extractMetadata(chunks, options);
    return this;
  }

  /** The current chunks; none before `chunk`. */
  getDocs(): Chunk[] {
    return [...(this.#chunks ?? [])];
  }

  /** The texts of the chunks. */
  getText(): string[] {
    return this.getDocs().map(({ text }) => text);
  }

  /** The metadata of the chunks. */
  getMetadata(): Readonly<Record<string, unknown>>[] {
    return this.getDocs().map(({ metadata }) => metadata);
  }

  /** The chunks as documents, for indexers and other components. */
  toDocuments(): Document[] {
    return this.getDocs().map(chunkToDocument);
  }
}

export function chunkToDocument({ id, text, metadata, embedding }: Chunk): Document {
  const document = { id, content: text, metadata };
  return embedding === undefined ? document : { ...document, denseVector: embedding };
}
