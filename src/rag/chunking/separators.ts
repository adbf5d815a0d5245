import { emptySeparator } from "../errors.js";
import { findBlankLines, findLineBreaks } from "./line-breaks.js";
import type { FindParts, Group } from "./pack-groups.js";
import { fits, type Sizing } from "./sizing.js";
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
 * Splits at the first separator that occurs, and parts that are too large at the next one. A part without separators is a unit of
 * its own, even if it is too large.
 */
export function splitRecursively(sizing: Sizing, span: TextSpan, separators: readonly Separator[]): Group[] {
  if (fits(sizing, span)) return [{ units: [span] }];
  for (const [index, separator] of separators.entries()) {
    const parts = splitAt(sizing.text, span, separator);
    if (parts.length > 1) return splitParts(sizing, parts, separators.slice(index + 1));
    const [only] = parts;
    if (only !== undefined && (only.start !== span.start || only.end !== span.end))
      return splitRecursively(sizing, only, separators.slice(index + 1));
  }
  return [{ units: [span] }];
}

/** Groups neighbors that fit, and splits the parts that are too large. */
export function splitParts(sizing: Sizing, parts: readonly TextSpan[], separators: readonly Separator[]): Group[] {
  return splitLarge(sizing, parts, (part) => splitRecursively(sizing, part, separators));
}

/** Groups neighbors that fit, and passes parts that are too large to `split`. */
export function splitLarge<Part extends TextSpan>(
  sizing: Sizing,
  parts: readonly Part[],
  split: (part: Part) => readonly Group[],
): Group[] {
  const groups: Group[] = [];
  let units: Part[] = [];
  for (const part of parts) {
    if (fits(sizing, part)) {
      units.push(part);
      continue;
    }
    groups.push({ units });
    for (const group of split(part)) groups.push(group);
    units = [];
  }
  return [...groups, { units }];
}

/** Finds where the parts between any of the separators begin. */
export function partsBetween(text: string, separators: readonly Separator[]): FindParts {
  return (unit) => {
    const starts = separators.flatMap((separator) => splitAt(text, unit, separator).map(({ start }) => start));
    return [...new Set(starts)].sort((one, other) => one - other);
  };
}

/** Finds paragraphs, lines and sentences, but not words. */
export const proseParts = (text: string): FindParts => partsBetween(text, proseSeparators.slice(0, -1));

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
