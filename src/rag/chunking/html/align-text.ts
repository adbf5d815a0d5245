import type { TextSpan } from "../span.js";

/** A piece of a text, and the piece of the source that it is written as there. */
export interface AlignedRun extends TextSpan {
  readonly value: string;
}

export interface SourcePiece extends TextSpan {
  /** What a parser made of it. */
  readonly value: string;
}

/**
 * Pairs the pieces of a text with those of its source, which has character references and other line breaks. Pieces of
 * equal length are equal.
 */
export function alignText(
  source: string,
  piece: SourcePiece,
  decode: (reference: string) => string,
): readonly AlignedRun[] {
  const { value, start, end } = piece;
  if (value.length === end - start && source.startsWith(value, start)) return [piece];
  const runs: AlignedRun[] = [];
  let [place, done, runStart, runDone] = [start, 0, start, 0];
  const same = (): AlignedRun => ({ value: value.slice(runDone, done), start: runStart, end: place });
  while (place < end && done < value.length) {
    const code = source.charCodeAt(place);
    if (code === value.charCodeAt(done) && code !== ampersand) {
      place++;
      done++;
      continue;
    }
    const { length, text: found } = differentPiece(source, place, end, decode);
    // the parser drops a line break right after <pre> and <textarea>
    const text = found === "\n" && !value.startsWith(found, done) ? "" : found;
    if (!value.startsWith(text, done)) break;
    if (done > runDone) runs.push(same());
    if (text !== "") runs.push({ value: text, start: place, end: place + length });
    [place, done] = [place + length, done + text.length];
    [runStart, runDone] = [place, done];
  }
  if (done > runDone) runs.push(same());
  if (done < value.length) runs.push({ value: value.slice(done), start: place, end });
  return runs;
}

const ampersand = 38;

/** What stands in the source at a place where the text goes on differently: `text` is what becomes of so many characters. */
function differentPiece(
  source: string,
  place: number,
  end: number,
  decode: (reference: string) => string,
): { length: number; text: string } {
  if (source.charCodeAt(place) === ampersand) {
    const [found = "&"] = reference.exec(source.slice(place, Math.min(end, place + longest))) ?? [];
    return { length: found.length, text: found === "&" ? "&" : decode(found) };
  }
  if (source.startsWith("\r\n", place)) return { length: 2, text: "\n" };
  if (source.startsWith("\r", place)) return { length: 1, text: "\n" };
  // characters that the parser drops
  return { length: 1, text: "" };
}

/** The longest name of a character has 33 letters; numbers may have zeros in front. */
const longest = 64;
const reference = /^&(?:#x?[0-9a-f]+|[a-z][0-9a-z]*);?/i;
