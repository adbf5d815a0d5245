import { emptySeparator } from "../errors.js";
import { cut, fits, pack, type Sizing } from "./sizing.js";
import type { Span } from "./span.js";

/** Where a text may be split, and on which side the separator stays; on neither, it is left out between chunks. */
export interface Separator {
  readonly pattern: string | RegExp;
  readonly keep?: "start" | "end" | undefined;
}

/** Paragraphs, lines, sentences, words. */
export const proseSeparators: readonly Separator[] = [
  { pattern: /(?:\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))+/g },
  { pattern: /\r\n|\r|\n/g },
  { pattern: /[.!?]["')\]]?(?=\s)|[。！？…]["”’」』）]?/g, keep: "end" },
  { pattern: /[ \t\u3000]+/g },
];

export const lineSeparators: readonly Separator[] = [{ pattern: /\r\n|\r|\n/g }, { pattern: /[ \t\u3000]+/g }];

/**
 * Splits at the first separator that is there; parts that are still too large at the next one, and in the end between
 * graphemes. Neighbours that fit together stay together.
 */
export function splitRecursively(sizing: Sizing, span: Span, separators: readonly Separator[]): Span[] {
  if (fits(sizing, span)) return [span];
  for (const [index, separator] of separators.entries()) {
    const parts = splitAt(sizing.text, span, separator);
    if (parts.length > 1) return splitParts(sizing, parts, separators.slice(index + 1));
    const [only] = parts;
    if (only !== undefined && (only.start !== span.start || only.end !== span.end))
      return splitRecursively(sizing, only, separators.slice(index + 1));
  }
  return cut(sizing, span);
}

/** Splits those of neighbouring parts that are too large, and joins those that fit together. */
export function splitParts(sizing: Sizing, parts: readonly Span[], separators: readonly Separator[]): Span[] {
  return splitLarge(sizing, parts, (part) => splitRecursively(sizing, part, separators));
}

/** Joins the parts that fit together; a part that is too large is given to `split`. */
export function splitLarge(sizing: Sizing, parts: readonly Span[], split: (part: Span) => readonly Span[]): Span[] {
  const found: Span[] = [];
  let small: Span[] = [];
  for (const part of parts) {
    if (fits(sizing, part)) {
      small.push(part);
      continue;
    }
    for (const span of pack(sizing, small)) found.push(span);
    for (const span of split(part)) found.push(span);
    small = [];
  }
  for (const span of pack(sizing, small)) found.push(span);
  return found;
}

/** The parts between separators that are not empty. */
export function splitAt(text: string, { start, end }: Span, { pattern, keep }: Separator): Span[] {
  const parts: Span[] = [];
  let from = start;
  const add = (to: number): void => {
    if (to > from) parts.push({ start: from, end: to });
  };
  // in the slice, or a separator that is not there would be looked for in all the rest of the text
  for (const { index, length } of matchesOf(text.slice(start, end), pattern)) {
    const at = start + index;
    add(keep === "end" ? at + length : at);
    from = keep === undefined || keep === "end" ? at + length : at;
  }
  add(end);
  return parts;
}

interface Match {
  readonly index: number;
  readonly length: number;
}

function* matchesOf(text: string, pattern: string | RegExp): Generator<Match> {
  if (typeof pattern === "string") {
    for (let index = text.indexOf(pattern); index >= 0; index = text.indexOf(pattern, index + pattern.length)) {
      yield { index, length: pattern.length };
    }
    return;
  }
  for (const match of text.matchAll(pattern)) {
    if (match[0] === "") throw emptySeparator(pattern);
    yield { index: match.index, length: match[0].length };
  }
}
