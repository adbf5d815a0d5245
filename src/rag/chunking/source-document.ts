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
};

/** How a document is split by default: as its MIME type says, else as its name ends. */
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

/** Chunks say in their metadata where they stand: a document cannot. */
export function checkMetadata(metadata: Readonly<Record<string, unknown>>): void {
  for (const key of ["start", "end"]) if (Object.hasOwn(metadata, key)) throw reservedMetadata(key);
}
