import type { Document } from "../schema/document.js";
import type { StreamSource } from "../schema/stream/source.js";

/** The known properties of the bytes that a parser gets. */
export interface ParseOptions {
  /** Where they come from. */
  readonly uri?: string | undefined;
  /** Their media type, such as `text/markdown`. @default what the parser detects itself */
  readonly mimeType?: string | undefined;
  /** Added to the metadata of every document. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Turns bytes into documents: what a loader has read, or an upload. `parserConformance` of `kumiko/testing` checks
 * an implementation.
 *
 * @example
 * const lines: Parser = {
 *   async parse(source, { uri = "lines", metadata = {} } = {}) {
 *     const text = await new Response(source instanceof Uint8Array ? source.slice() : StreamReader.from(source).toReadableStream()).text();
 *     return text.split("\n").map((content, line) => ({ id: `${uri}#${line}`, content, metadata: { ...metadata, line } }));
 *   },
 * };
 */
export interface Parser {
  /** Parses bytes, whole or as a stream, into documents. */
  parse(source: Uint8Array | StreamSource<Uint8Array>, options?: ParseOptions): Promise<Document[]>;
}
