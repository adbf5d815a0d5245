import { type Document, withDenseVector } from "../schema/document.js";
import type { Chunk } from "./chunk.js";
import type { ChunkOptions, ChunkStrategy } from "./chunking/chunk-options.js";
import { loadChunking } from "./chunking/load-chunking.js";
import { checkMetadata, strategyFor } from "./chunking/source-document.js";
import type { AnyEmbedder } from "./embedding/any-embedder.js";
import { type EmbedOptions, embedTexts } from "./embedding/embed-texts.js";
import { invalidDocument } from "./errors.js";
import type { ExtractOptions } from "./extraction/extract-options.js";
import { loadExtraction } from "./extraction/load-extraction.js";

/** Options of the constructors of {@link MDocument}. */
export interface MDocumentOptions {
  /** Part of the ids of its chunks. @default `uri`, else the SHA-256 of the text */
  readonly id?: string | undefined;
  /** Where it comes from; metadata has it too. */
  readonly uri?: string | undefined;
  /** For every chunk. `start` and `end` belong to the chunks. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A text from which an {@link MDocument} is made. */
export interface MDocumentSource extends MDocumentOptions {
  readonly text: string;
  /** Says how it is split by default, and what it is when `uri` does not end in `.md`, `.html`, `.json` or `.tex`. */
  readonly mimeType?: string | undefined;
}

/**
 * A document that is split into chunks, which know exactly where they stand in it, and lose nothing.
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
    if (typeof text !== "string") throw invalidDocument(`A document is made from text, not from ${typeof text}.`);
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

  /** A document of the kind that its MIME type says, or the end of its URI. */
  static from({ text, mimeType, ...options }: MDocumentSource): MDocument {
    return new MDocument(text, strategyFor(mimeType, options.uri), options);
  }

  /** Splits the document, and keeps the chunks. Options that do not fit the strategy are errors. */
  async chunk(options: ChunkOptions = {}): Promise<Chunk[]> {
    const { chunkDocument } = await loadChunking();
    this.#chunks = await chunkDocument(
      { text: this.#text, id: this.#id, strategy: this.#strategy, metadata: this.#metadata },
      options,
    );
    return [...this.#chunks];
  }

  /** Gives each chunk its embedding. Splits the document first when that has not been done. */
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

  /** Lets a model find out about each chunk, for its metadata. Splits the document first when that has not been done. */
  async extractMetadata(options: ExtractOptions): Promise<this> {
    const chunks = this.#chunks ?? (await this.chunk());
    this.#chunks = await (await loadExtraction()).extractMetadata(chunks, options);
    return this;
  }

  /** The chunks that there are; none before `chunk`. */
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

/** A chunk as a document. */
export function chunkToDocument({ id, text, metadata, embedding }: Chunk): Document {
  const document = { id, content: text, metadata };
  return embedding === undefined ? document : withDenseVector(document, embedding);
}
