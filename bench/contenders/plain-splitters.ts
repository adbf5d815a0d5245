import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Contender } from "../contender.js";

const sentences = /(?<=\n\n)|(?<=\. )/;

/** What a user writes who knows the documents: nothing knows where it stands, and nothing is parsed. */
export const splitters: Contender["splitters"] = {
  recursive: (text, size) => async () => packed(text.split(sentences), size),
  character: (text, size) => async () => packed(text.split(/(?<=\n\n)/), size),
  sentence: (text, size) => async () => packed(text.split(sentences), size),
  token: (text, size) => async () => tokenPieces(encode(text), size),
  markdown: (text, size) => async () => sectionPieces(text, /^(?=#+ )/m, size),
  "semantic-markdown": (text, size) => async () => packed(text.split(/^(?=#+ )/m), size),
  latex: (text, size) => async () => sectionPieces(text, /^(?=\\section)/m, size),
  html: (text, size) => async () =>
    text
      .replace(/<style>.*?<\/style>/gs, "")
      .split(/(?=<h2>)/)
      .flatMap((section) => packed(section.replaceAll(/<[^>]*>/g, "").split(sentences), size)),
  json: (text, size) => async () => recordPieces(JSON.parse(text), size),
};

function sectionPieces(text: string, heading: RegExp, size: number): string[] {
  return text.split(heading).flatMap((section) => packed(section.split(sentences), size));
}

/** A character may be more tokens than one. */
function tokenPieces(tokens: readonly number[], size: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < tokens.length; ) {
    let end = Math.min(tokens.length, start + size);
    let piece = decode(tokens.slice(start, end));
    for (; piece.endsWith("\ufffd") && end > start + 1; piece = decode(tokens.slice(start, end))) end--;
    pieces.push(piece);
    start = end;
  }
  return pieces;
}

function recordPieces(record: Readonly<Record<string, unknown>>, size: number): string[] {
  const pieces: string[] = [];
  let fields: string[] = [];
  let length = 2;
  for (const [key, value] of Object.entries(record)) {
    const field = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    if (fields.length > 0 && length + field.length > size) {
      pieces.push(`{${fields.join(",")}}`);
      fields = [];
      length = 2;
    }
    fields.push(field);
    length += field.length + 1;
  }
  return [...pieces, `{${fields.join(",")}}`];
}

/** As many parts in a piece as fit. */
function packed(parts: readonly string[], size: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of parts) {
    if (piece !== "" && piece.length + part.length > size) {
      pieces.push(piece);
      piece = "";
    }
    piece += part;
  }
  return [...pieces, piece];
}
