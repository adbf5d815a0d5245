import type { Graphemes } from "./graphemes.js";
import { type TextSpan, trimSpan } from "./span.js";

/** Measures a text in the unit of `size`. */
export interface Measure {
  /** Whether the unit is UTF-16 code units, so that positions suffice and no text needs to be sliced. */
  readonly isCharacters: boolean;
  of(text: string): number;
}

export const characters: Measure = { isCharacters: true, of: (text) => text.length };

/** A text and the maximum size of its chunks. */
export interface Sizing {
  readonly text: string;
  readonly size: number;
  readonly measure: Measure;
  /** Whether whitespace at both ends of a chunk is removed, and so does not count. */
  readonly strip: boolean;
  readonly graphemes: Graphemes;
}

export function fits(sizing: Sizing, span: TextSpan): boolean {
  const { text, size, measure, strip } = sizing;
  if (measure.isCharacters && span.end - span.start <= size) return true;
  const { start, end } = strip ? trimSpan(text, span) : span;
  return measure.isCharacters ? end - start <= size : measure.of(text.slice(start, end)) <= size;
}

/** Joins neighbors as long as they fit together. The text between them becomes part of the span. */
export function pack(sizing: Sizing, pieces: readonly TextSpan[]): TextSpan[] {
  const packed: TextSpan[] = [];
  for (let first = 0; first < pieces.length; ) {
    const end = endOfPack(sizing, pieces, first);
    packed.push({ start: startOf(pieces, first), end: endOf(pieces, end - 1) });
    first = end;
  }
  return packed;
}

/** The index after the last piece that fits together with the first one. */
function endOfPack(sizing: Sizing, pieces: readonly TextSpan[], first: number): number {
  const { text, size, measure } = sizing;
  const start = startOf(pieces, first);
  let next = first + 1;
  if (measure.isCharacters) {
    while (next < pieces.length && fits(sizing, { start, end: endOf(pieces, next) })) next++;
    return next;
  }
  // measuring the joined span for each piece would take quadratic time, so the sum of the pieces gives a first estimate
  let sum = measure.of(text.slice(start, endOf(pieces, first)));
  for (; next < pieces.length; next++) {
    sum += measure.of(text.slice(endOf(pieces, next - 1), endOf(pieces, next)));
    if (sum > size) break;
  }
  while (next > first + 1 && !fits(sizing, { start, end: endOf(pieces, next - 1) })) next--;
  return next;
}

const startOf = (pieces: readonly TextSpan[], index: number): number => pieces[index]?.start ?? 0;
const endOf = (pieces: readonly TextSpan[], index: number): number => pieces[index]?.end ?? 0;

/** Cuts a span between graphemes. A grapheme larger than the size stays whole. */
export function cut(sizing: Sizing, { start, end }: TextSpan): TextSpan[] {
  const pieces: TextSpan[] = [];
  for (let from = start; from < end; ) {
    const to = endOfCut(sizing, from, end);
    pieces.push({ start: from, end: to });
    from = to;
  }
  return pieces;
}

function endOfCut(sizing: Sizing, from: number, end: number): number {
  const { text, size, measure, graphemes } = sizing;
  if (measure.isCharacters) return graphemes.cutAt(text, from, from + Math.floor(size), end);
  let low = graphemes.cutAt(text, from, from + 1, end);
  let high = low;
  while (high < end && fits(sizing, { start: from, end: high })) {
    low = high;
    // advances by at least one grapheme
    high = Math.max(
      graphemes.cutAt(text, from, from + (high - from) * 2, end),
      graphemes.cutAt(text, high, high + 1, end),
    );
  }
  if (high === end && fits(sizing, { start: from, end })) return end;
  while (high - low > 1) {
    const middle = graphemes.cutAt(text, low, (low + high) >> 1, high);
    if (middle >= high) break;
    if (fits(sizing, { start: from, end: middle })) low = middle;
    else high = middle;
  }
  return low;
}
