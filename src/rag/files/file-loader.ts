import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { checkOptions } from "../../check-options.js";
import type { NodeContext } from "../../components/context.js";
import type { DocumentSource, Loader } from "../../components/retrieval.js";
import type { Document } from "../../schema/document.js";
import { invalidValue } from "../errors.js";
import { documentFromBytes } from "./document-from-bytes.js";
import { fileTooLarge, loadFailed } from "./errors.js";
import { mimeTypeOf } from "./file-type.js";

/** Options of {@link fileLoader}. */
export interface FileLoaderOptions {
  /** The maximum size of a file, in bytes. Larger files cannot be loaded. @default 100 MB */
  readonly maxBytes?: number | undefined;
}

/** A loader that can also be called directly, without a run. */
export interface SourceLoader extends Loader {
  /** Reads the documents of a source. */
  load(source: DocumentSource, ctx?: Partial<NodeContext>): Promise<Document[]>;
}

/**
 * Reads a file: text in UTF-8 or UTF-16, PDF (with the package unpdf) or DOCX (with mammoth). The URI is a path or a `file:` URL.
 * It becomes the id of the document; the metadata has `uri` and `mimeType`, and the `title` of a PDF or DOCX that has one.
 *
 * For a PDF, the metadata also has `pageStarts`, the positions in the text at which pages begin; chunks have `pages` instead, the
 * numbers of their pages. Throws (`LOAD_FAILED`) if a PDF has no text, as in a scan, or is encrypted.
 *
 * A DOCX becomes Markdown with its headings, lists, tables, footnotes and endnotes. Headers, footers and comments are left out.
 *
 * @example
 * const [document] = await fileLoader().load({ uri: "docs/guide.md" });
 */
export function fileLoader(options: FileLoaderOptions = {}): SourceLoader {
  const maxBytes = checkMaxBytes("fileLoader", options, ["maxBytes"], 100_000_000);
  return {
    component: "loader",
    type: "FileLoader",
    load: async ({ uri }, ctx) => {
      const path = uri.startsWith("file:") ? fileURLToPath(uri) : uri;
      const bytes = await readBytes(uri, path, { maxBytes, signal: ctx?.signal });
      return [await documentFromBytes({ uri, bytes, mimeType: mimeTypeOf(path) })];
    },
  };
}

export function checkMaxBytes(
  where: string,
  options: { readonly maxBytes?: unknown },
  known: readonly string[],
  byDefault: number,
): number {
  checkOptions(where, options, known);
  const maxBytes = options.maxBytes ?? byDefault;
  if (typeof maxBytes !== "number" || !(maxBytes > 0)) throw invalidValue("maxBytes", "a number above 0", maxBytes);
  return maxBytes;
}

export interface ReadBytesOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Checks and reads a file through one handle, so that it cannot be replaced in between. */
export async function readBytes(
  uri: string,
  path: string,
  { maxBytes, signal }: ReadBytesOptions,
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const file = await open(path, "r").catch((cause: unknown) => {
    throw loadFailed(uri, "", cause);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw loadFailed(uri, "it is not a file.");
    if (stat.size > maxBytes) throw fileTooLarge(uri, maxBytes / 1_000_000);
    return await file.readFile({ signal });
  } finally {
    await file.close();
  }
}
