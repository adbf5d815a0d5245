import type { Chunk } from "kumiko/rag";
import { expect } from "vitest";

export interface Place {
  readonly start: number;
  readonly end: number;
}

export function placeOf({ metadata: { start, end } }: Chunk): Place {
  if (typeof start !== "number" || typeof end !== "number") throw new Error("A chunk does not say where it stands.");
  return { start, end };
}

/** Every chunk is the slice of the source that it says, and no chunk is blank. */
export function expectExact(source: string, chunks: readonly Chunk[]): void {
  for (const chunk of chunks) {
    const { start, end } = placeOf(chunk);
    expect(chunk.text).toBe(source.slice(start, end));
    expect(chunk.text.trim()).not.toBe("");
  }
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
}

/** Chunks follow each other, and what is between them may be lost: `isGap` says so. */
export function expectNothingLost(source: string, chunks: readonly Chunk[], isGap: (gap: string) => boolean): void {
  let from = 0;
  for (const place of [...chunks.map(placeOf), { start: source.length, end: source.length }]) {
    expect(place.start).toBeGreaterThanOrEqual(from);
    const gap = source.slice(from, place.start);
    if (!isGap(gap)) throw new Error(`${JSON.stringify(gap)} is in no chunk.`);
    from = place.end;
  }
}

/** Chunks may repeat what is before them, but no chunk lies inside its neighbor, and together they still hold all. */
export function expectOverlapping(
  source: string,
  chunks: readonly Chunk[],
  { overlap, isGap, sizeOf = (text) => text.length }: OverlapLaws,
): void {
  let covered = 0;
  for (const [index, { start, end }] of chunks.map(placeOf).entries()) {
    const before = chunks[index - 1];
    if (before !== undefined) {
      const place = placeOf(before);
      expect(start).toBeGreaterThan(place.start);
      expect(end).toBeGreaterThan(place.end);
      if (start < place.end) expect(sizeOf(source.slice(start, place.end))).toBeLessThanOrEqual(overlap);
    }
    if (start > covered && !isGap(source.slice(covered, start)))
      throw new Error(`${JSON.stringify(source.slice(covered, start))} is in no chunk.`);
    covered = Math.max(covered, end);
  }
  if (!isGap(source.slice(covered))) throw new Error(`${JSON.stringify(source.slice(covered))} is in no chunk.`);
}

interface OverlapLaws {
  readonly overlap: number;
  readonly isGap: (gap: string) => boolean;
  readonly sizeOf?: (text: string) => number;
}

/** Every unit that fits the size is whole in some chunk. */
export function expectWhole(source: string, chunks: readonly Chunk[], units: readonly Place[], size: number): void {
  const places = chunks.map(placeOf);
  for (const unit of units) {
    const { start, end } = trimPlace(source, unit);
    if (start === end || end - start > size) continue;
    if (places.some((place) => place.start <= start && place.end >= end)) continue;
    throw new Error(`${JSON.stringify(source.slice(start, end))} fits ${size}, but is whole in no chunk.`);
  }
}

export function trimPlace(source: string, { start, end }: Place): Place {
  const text = source.slice(start, end);
  const from = end - text.trimStart().length;
  return text.trim() === "" ? { start, end: start } : { start: from, end: from + text.trim().length };
}

/** The places between the matches of a pattern. With `keep`, a match belongs to the place before it. */
export function placesBetween(source: string, pattern: RegExp, keep = false): Place[] {
  const places: Place[] = [];
  let from = 0;
  for (const { index, 0: match } of source.matchAll(pattern)) {
    const end = keep ? index + match.length : index;
    places.push({ start: from, end });
    from = index + match.length;
  }
  return [...places, { start: from, end: source.length }];
}

export const isBlank = (gap: string): boolean => gap.trim() === "";

/** Places between graphemes, the ends too. */
export function graphemeEnds(text: string): ReadonlySet<number> {
  const segments = new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text);
  return new Set([...Array.from(segments, ({ index }) => index), text.length]);
}
