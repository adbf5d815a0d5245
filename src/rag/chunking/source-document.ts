import { reservedMetadata } from "../errors.js";
import type { ChunkStrategy } from "./chunk-options.js";

/** A document before it is split. */
export interface SourceDocument {
  readonly text: string;
  readonly id: string | undefined;
  readonly strategy: ChunkStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const byExtension: Readonly<Record<string, ChunkStrategy>> = {
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  xhtml: "html",
  json: "json",
  tex: "latex",
  latex: "latex",
  ltx: "latex",
  docx: "markdown",
};

const byMimeType: Readonly<Record<string, ChunkStrategy>> = {
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/json": "json",
  "application/x-latex": "latex",
  "application/x-tex": "latex",
  "text/x-tex": "latex",
  // loaders convert it
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "markdown",
};

/** The default strategy of a document, by its MIME type or else by the extension of its URI. */
export function strategyFor(mimeType: unknown, uri: unknown): ChunkStrategy {
  const [type = ""] = typeof mimeType === "string" ? mimeType.toLowerCase().split(";") : [];
  const known = type.trim();
  if (Object.hasOwn(byMimeType, known)) return byMimeType[known] ?? "recursive";
  if (known.endsWith("+json")) return "json";
  const [path = ""] = typeof uri === "string" ? uri.split(/[?#]/) : [];
  const [, extension = ""] = /\.(\w+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(byExtension, name) ? (byExtension[name] ?? "recursive") : "recursive";
}

/** Throws if the metadata of a document uses a key that is reserved for chunks. */
export function checkMetadata(metadata: Readonly<Record<string, unknown>>): void {
  for (const key of ["start", "end"]) if (Object.hasOwn(metadata, key)) throw reservedMetadata(key);
}
