import type { Graphemes } from "./graphemes.js";
import { type TextSpan, trimSpan } from "./span.js";

/** How long a text is, in whatever `size` counts. */
export interface Measure {
  /** Whether it counts UTF-16 units: then no text has to be looked at. */
  readonly isCharacters: boolean;
  of(text: string): number;
}

export const characters: Measure = { isCharacters: true, of: (text) => text.length };

/** A text, and how large its chunks may be. */
export interface Sizing {
  readonly text: string;
  readonly size: number;
  readonly measure: Measure;
  /** Whether whitespace at the ends of a chunk is left out, and so does not count. */
  readonly strip: boolean;
  readonly graphemes: Graphemes;
}

export function fits(sizing: Sizing, span: TextSpan): boolean {
  const { text, size, measure, strip } = sizing;
  if (measure.isCharacters && span.end - span.start <= size) return true;
  const { start, end } = strip ? trimSpan(text, span) : span;
  return measure.isCharacters ? end - start <= size : measure.of(text.slice(start, end)) <= size;
}

/** Joins neighbours as long as they fit together. What is between them belongs to the joined span. */
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
  // Measuring the whole again for each piece would take quadratic time: their sum shows about how many there are.
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

/** Cuts a span between graphemes; one that is larger than the size stays whole. */
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
    // at least one grapheme further
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
