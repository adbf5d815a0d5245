import { queryTermsOf, termsOf } from "../../../rag/vectors/search-terms.js";

/** Limits of tsvector: bytes of a term, places of a term, the last place, and bytes of all of it. */
const longestTerm = 500;
const mostPlaces = 255;
const lastPlace = 16_383;
const mostBytes = 1_000_000;
/** A query is a question; of a text that is longer, the first words count. */
const mostWords = 200;

/**
 * The terms of a document as a tsvector, which no dictionary changes: `'tea':1,7 'wood':2`. They are letters and digits, and
 * so need no escapes. `undefined` when there are more than PostgreSQL keeps.
 */
export function termVector(document: string): string | undefined {
  const places = new Map<string, number[]>();
  for (const [index, term] of termsOf(document).entries()) {
    const key = term.slice(0, longestTerm);
    const found = places.get(key) ?? [];
    if (found.length < mostPlaces && index < lastPlace) found.push(index + 1);
    places.set(key, found);
  }
  const text = Array.from(places, ([term, found]) => `'${term}'${found.length > 0 ? `:${found.join(",")}` : ""}`).join(
    " ",
  );
  return Buffer.byteLength(text) > mostBytes ? undefined : text;
}

/** The terms of a query, each as a tsquery. */
export function termQueries(text: string): string[] {
  return queryTermsOf(text)
    .slice(0, mostWords)
    .map((term) => `'${term.slice(0, longestTerm)}'`);
}
