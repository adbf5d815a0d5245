import { noTextIndex } from "./errors.js";
import { fuseRanks } from "./fuse-ranks.js";
import { type IndexSettings, mostResults, type QueryRequest } from "./requests.js";
import { compareHits, type Hit } from "./top-results.js";

/** The kinds of search of a store. Each returns at most `count` entries, best first. */
export interface Searches<Found extends Hit> {
  nearest(vector: Float32Array, count: number): readonly Found[];
  withWords(text: string, count: number): readonly Found[];
  /** The entries that match the filter, by id, with the score 0. */
  matching(count: number): readonly Found[];
}

/** Runs a query by vector, by text, by both, or by its filter alone. */
export function searchIndex<Found extends Hit>(
  indexName: string,
  settings: IndexSettings,
  request: QueryRequest,
  searches: Searches<Found>,
): Found[] {
  const { vector, text } = request;
  const count = hitsNeeded(indexName, settings, request);
  if (isFilterAlone(request)) return [...searches.matching(count)];
  return joinHits(
    request,
    vector === undefined ? undefined : searches.nearest(vector, count),
    text === undefined ? undefined : searches.withWords(text, count),
  );
}

export const isFilterAlone = ({ vector, text }: QueryRequest): boolean => vector === undefined && text === undefined;

/** How many hits each search must find, so that the best after fusion are likely among them. */
export function hitsNeeded(indexName: string, settings: IndexSettings, { vector, text, topK }: QueryRequest): number {
  if (text !== undefined && !settings.text) throw noTextIndex(indexName);
  return vector !== undefined && text !== undefined ? Math.min(mostResults, Math.max(100, topK * 4)) : topK;
}

/** Combines the hits of both searches by rank, or returns those of the only one. */
export function joinHits<Found extends Hit>(
  { topK, minScore }: QueryRequest,
  nearest: readonly Found[] | undefined,
  withWords: readonly Found[] | undefined,
): Found[] {
  return join().filter(({ score }) => score >= minScore);

  function join(): readonly Found[] {
    if (nearest === undefined || withWords === undefined) return nearest ?? withWords ?? [];
    return fuseRanks([nearest, withWords].map((items) => ({ items, weight: 0.5 })))
      .map(({ item, score }) => ({ ...item, score }))
      .sort(compareHits)
      .slice(0, topK);
  }
}
