import type { Graphemes } from "./graphemes.js";
import { type TextSpan, trimSpan } from "./span.js";

/** Measures a text in the unit of `size`. */
export interface Measure {
  /** Whether the unit is UTF-16 code units, so that positions suffice and no text needs to be sliced. */
  readonly isCharacters: boolean;
  of(text: string): number;
}

export const characters: Measure = { isCharacters: true, of: (text) => text.length };

/** A text, and the sizes of its chunks. */
export interface Sizing {
  readonly text: string;
  /** The maximum size of a chunk. */
  readonly size: number;
  /** How much a chunk may repeat of the one before it, less than `size`. */
  readonly overlap: number;
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

/** The index after the last unit that fits together with the first one, in a chunk that begins at `start`. */
export function endOfPack(sizing: Sizing, units: readonly TextSpan[], first: number, start: number): number {
  const { text, size, measure } = sizing;
  let next = first + 1;
  if (measure.isCharacters) {
    while (next < units.length && fits(sizing, { start, end: endOf(units, next) })) next++;
    return next;
  }
  // measuring the joined span for each unit would take quadratic time, so the sum of the units gives a first estimate
  let sum = measure.of(text.slice(start, endOf(units, first)));
  for (; next < units.length; next++) {
    sum += measure.of(text.slice(endOf(units, next - 1), endOf(units, next)));
    if (sum > size) break;
  }
  while (next > first + 1 && !fits(sizing, { start, end: endOf(units, next - 1) })) next--;
  return next;
}

const endOf = (units: readonly TextSpan[], index: number): number => units[index]?.end ?? 0;

/** The size of a span in the unit of `size`. */
export function sizeOf({ text, measure }: Sizing, { start, end }: TextSpan): number {
  return measure.isCharacters ? end - start : measure.of(text.slice(start, end));
}

/** Where a chunk that begins at `from` must end at the latest. Cuts between graphemes; one larger than the size stays whole. */
export function endOfCut(sizing: Sizing, from: number, end: number): number {
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
