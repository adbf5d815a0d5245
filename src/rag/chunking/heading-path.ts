import { type FoundChunk, trimSpan } from "./span.js";

/** The metadata keys of headings, by depth. Other headings are ignored. */
export type HeaderNames = ReadonlyMap<number, string>;

export interface PlacedHeading {
  readonly start: number;
  readonly depth: number;
  readonly title: string;
}

/** Adds the headings that enclose its beginning to each chunk. Chunks and headings must be in the order of the text. */
export function addHeadings(
  text: string,
  chunks: readonly FoundChunk[],
  headings: readonly PlacedHeading[],
  names: HeaderNames | undefined,
): readonly FoundChunk[] {
  if (names === undefined) return chunks;
  const titles = new Map<number, string>();
  let entered = 0;
  return chunks.map((chunk) => {
    const { start } = trimSpan(text, chunk);
    for (let next = headings[entered]; next !== undefined && next.start <= start; next = headings[++entered]) {
      for (const depth of [...titles.keys()]) if (depth >= next.depth) titles.delete(depth);
      if (names.has(next.depth)) titles.set(next.depth, next.title);
    }
    const path = Object.fromEntries([...titles].map(([depth, title]) => [names.get(depth), title]));
    return { ...chunk, metadata: { ...path, ...chunk.metadata } };
  });
}
