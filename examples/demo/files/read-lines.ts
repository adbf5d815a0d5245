import { createReadStream } from "node:fs";

/** Longer lines are cut: they are data, and not for reading. */
const MAX_LINE_LENGTH = 2_000;

export class BinaryFileError extends Error {}

/** The lines of a text file as they are read, however large it is. A file that is no text is a `BinaryFileError`. */
export async function* readLines(place: string, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const chunks = createReadStream(place, { encoding: "utf8", signal });
  let line = "";
  let isFirst = true;
  for await (const chunk of chunks as AsyncIterable<string>) {
    if (chunk.includes("\0")) throw new BinaryFileError(`"${path}" is a binary file, which cannot be shown as text.`);
    const pieces = (isFirst ? chunk.replace(/^\uFEFF/, "") : chunk).split("\n");
    isFirst = false;
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield finish(line);
        line = "";
      }
      if (line.length <= MAX_LINE_LENGTH) line += piece.slice(0, MAX_LINE_LENGTH + 1);
    }
  }
  if (line !== "") yield finish(line);
}

function finish(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}
