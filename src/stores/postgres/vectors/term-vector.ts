import { queryTermsOf, termsOf } from "../../../words/terms.js";

/** Limits of tsvector: characters of a term, positions per term, the last position, and bytes in total. */
const longestTerm = 500;
const mostPositions = 255;
const lastPosition = 16_383;
const mostBytes = 1_000_000;
/** The number of words of a query that are searched for. */
const mostWords = 200;

/**
 * The terms of a document as a tsvector literal, which no dictionary changes: `'tea':1,7 'wood':2`. Terms are letters and digits,
 * so they need no escapes. Returns `undefined` if there are more than a tsvector can hold.
 */
export function termVector(document: string): string | undefined {
  const positions = new Map<string, number[]>();
  for (const [index, term] of termsOf(document).entries()) {
    const key = term.slice(0, longestTerm);
    const found = positions.get(key) ?? [];
    if (found.length < mostPositions && index < lastPosition) found.push(index + 1);
    positions.set(key, found);
  }
  const text = Array.from(
    positions,
    ([term, found]) => `'${term}'${found.length > 0 ? `:${found.join(",")}` : ""}`,
  ).join(" ");
  return Buffer.byteLength(text) > mostBytes ? undefined : text;
}

/** The configuration that makes English stems, in SQL. */
export const english = "'pg_catalog.english'::regconfig";

/** The terms of a document or query as words, of which {@link english} makes stems. */
export const stemText = (text: string): string =>
  termsOf(text)
    .map((term) => term.slice(0, longestTerm))
    .join(" ");

/** The terms of a query, each as a tsquery. */
export function termQueries(text: string): string[] {
  return queryTermsOf(text)
    .slice(0, mostWords)
    .map((term) => `'${term.slice(0, longestTerm)}'`);
}
