import type { TextSpan } from "../span.js";

/** A piece of parsed text, and the range of the source that it comes from. */
export interface AlignedRun extends TextSpan {
  readonly value: string;
}

export interface SourcePiece extends TextSpan {
  /** The text that the parser produced from this range. */
  readonly value: string;
}

/**
 * Maps the pieces of a parsed text to ranges of its source, which may contain character references and other line breaks.
 * A run of the same length as its range is identical to it.
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

/** Reads the source where it differs from the parsed text: `text` is the parsed form of the next `length` characters. */
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

/** The longest named reference has 33 letters; numeric ones may have leading zeros. */
const longest = 64;
const reference = /^&(?:#x?[0-9a-f]+|[a-z][0-9a-z]*);?/i;
