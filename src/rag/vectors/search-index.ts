import { noTextIndex } from "./errors.js";
import { fuseRanks } from "./fuse-ranks.js";
import { type IndexSettings, mostResults, type QueryRequest } from "./requests.js";
import { compareHits, type Hit } from "./top-results.js";

/** The two ways in which a store can look for entries: the best first. */
export interface Searches<Found extends Hit> {
  nearest(vector: Float32Array, count: number): readonly Found[] | Promise<readonly Found[]>;
  withWords(text: string, count: number): readonly Found[] | Promise<readonly Found[]>;
}

/** Answers a query by vector, by words, or by both together. */
export async function searchIndex<Found extends Hit>(
  indexName: string,
  { text: hasText }: IndexSettings,
  { vector, text, topK, minScore }: QueryRequest,
  searches: Searches<Found>,
): Promise<Found[]> {
  if (text !== undefined && !hasText) throw noTextIndex(indexName);
  const hits = await find();
  return hits.filter(({ score }) => score >= minScore);

  async function find(): Promise<readonly Found[]> {
    if (vector === undefined) return text === undefined ? [] : searches.withWords(text, topK);
    if (text === undefined) return searches.nearest(vector, topK);
    const pool = Math.min(mostResults, Math.max(100, topK * 4));
    const lists = [await searches.nearest(vector, pool), await searches.withWords(text, pool)];
    return fuseRanks(lists.map((items) => ({ items, weight: 0.5 })))
      .map(({ item, score }) => ({ ...item, score }))
      .sort(compareHits)
      .slice(0, topK);
  }
}
