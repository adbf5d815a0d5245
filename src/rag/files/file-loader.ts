import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { NodeContext } from "../../components/context.js";
import type { DocumentSource, Loader } from "../../components/retrieval.js";
import type { Document } from "../../schema/document.js";
import { invalidValue, unknownRagOption } from "../errors.js";
import { documentFromBytes } from "./document-from-bytes.js";
import { loadFailed, tooLarge } from "./errors.js";
import { mimeTypeOf } from "./file-type.js";

/** Options of {@link fileLoader}. */
export interface FileLoaderOptions {
  /** Larger files are errors. @default 100 MB */
  readonly maxBytes?: number | undefined;
}

/** A loader that may be called by hand too. */
export interface SourceLoader extends Loader {
  load(source: DocumentSource, ctx?: NodeContext<unknown, unknown>): Promise<Document[]>;
}

/**
 * Reads a file: texts in UTF-8 or UTF-16, PDF (with the package unpdf) and DOCX (with mammoth). The URI is a path or a `file:`
 * URL, and becomes the id of the document; metadata has it as `uri`, with the `mimeType`. Of a PDF it has `pageStarts` too,
 * where the pages begin in the text: its chunks have `pages` in place of that, the numbers of the pages on which they stand. A PDF
 * without text, such as a scan, and an encrypted one are errors (`LOAD_FAILED`).
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
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownRagOption(where, other, known);
  const maxBytes = options.maxBytes ?? byDefault;
  if (typeof maxBytes !== "number" || !(maxBytes > 0)) throw invalidValue("maxBytes", "a number above 0", maxBytes);
  return maxBytes;
}

export interface ReadBytesOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads the file that was looked at, and no more of it than allowed. */
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
    if (stat.size > maxBytes) throw tooLarge(uri, maxBytes / 1_000_000);
    return await file.readFile({ signal });
  } finally {
    await file.close();
  }
}
