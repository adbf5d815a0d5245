import { expect } from "vitest";
import type { Chunk } from "../../../src/rag/chunk.js";

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

export const isBlank = (gap: string): boolean => gap.trim() === "";

/** Places between graphemes, the ends too. */
export function graphemeEnds(text: string): ReadonlySet<number> {
  const segments = new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text);
  return new Set([...Array.from(segments, ({ index }) => index), text.length]);
}
