import { emptySeparator } from "../errors.js";
import { findBlankLines, findLineBreaks } from "./line-breaks.js";
import { cut, fits, pack, type Sizing } from "./sizing.js";
import type { TextSpan } from "./span.js";

/** Calls `found` for each separator in a text. */
export type FindSeparators = (text: string, found: (index: number, length: number) => void) => void;

/** Where a text may be split, and on which side the separator is kept. Without `keep`, it is dropped between chunks. */
export interface Separator {
  readonly pattern: string | RegExp | FindSeparators;
  readonly keep?: "start" | "end" | undefined;
}

/** Paragraphs, lines, sentences, words. */
export const proseSeparators: readonly Separator[] = [
  { pattern: findBlankLines },
  { pattern: findLineBreaks },
  { pattern: /[.!?]["')\]]?(?=\s)|[。！？…]["”’」』）]?/g, keep: "end" },
  { pattern: /[ \t\u3000]+/g },
];

export const lineSeparators: readonly Separator[] = [{ pattern: findLineBreaks }, { pattern: /[ \t\u3000]+/g }];

/**
 * Splits at the first separator that occurs, parts that are still too large at the next one, and finally between graphemes.
 * Neighbors that fit together are joined.
 */
export function splitRecursively(sizing: Sizing, span: TextSpan, separators: readonly Separator[]): TextSpan[] {
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

/** Splits the parts that are too large, and joins neighbors that fit together. */
export function splitParts(sizing: Sizing, parts: readonly TextSpan[], separators: readonly Separator[]): TextSpan[] {
  return splitLarge(sizing, parts, (part) => splitRecursively(sizing, part, separators));
}

/** Joins neighbors that fit together, and passes parts that are too large to `split`. */
export function splitLarge(
  sizing: Sizing,
  parts: readonly TextSpan[],
  split: (part: TextSpan) => readonly TextSpan[],
): TextSpan[] {
  const found: TextSpan[] = [];
  let small: TextSpan[] = [];
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

/** The parts between separators, without empty ones. */
export function splitAt(text: string, { start, end }: TextSpan, { pattern, keep }: Separator): TextSpan[] {
  const parts: TextSpan[] = [];
  let from = start;
  const add = (to: number): void => {
    if (to > from) parts.push({ start: from, end: to });
  };
  const found = (index: number, length: number): void => {
    const at = start + index;
    add(keep === "end" ? at + length : at);
    from = keep === undefined || keep === "end" ? at + length : at;
  };
  // searches the slice only: a missing separator would be searched for in the whole rest of the text
  findAll(text.slice(start, end), pattern, found);
  add(end);
  return parts;
}

function findAll(text: string, pattern: Separator["pattern"], found: (index: number, length: number) => void): void {
  if (typeof pattern === "function") {
    pattern(text, found);
    return;
  }
  if (typeof pattern === "string") {
    for (let index = text.indexOf(pattern); index >= 0; index = text.indexOf(pattern, index + pattern.length)) {
      found(index, pattern.length);
    }
    return;
  }
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === "") throw emptySeparator(pattern);
    found(match.index, match[0].length);
  }
}
