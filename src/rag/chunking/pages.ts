import { invalidDocument } from "../errors.js";
import type { TextSpan } from "./span.js";

/** Returns the pages that a chunk is on, or `undefined` for documents without pages. */
export type PagesOf = (chunk: TextSpan) => { readonly pages: readonly number[] } | undefined;

/** Removes `pageStarts` from the metadata of a document; chunks get `pages` instead. */
export function takePages(metadata: Readonly<Record<string, unknown>>): {
  readonly rest: Readonly<Record<string, unknown>>;
  readonly pagesOf: PagesOf;
} {
  const { pageStarts, ...rest } = metadata;
  if (pageStarts === undefined) return { rest: metadata, pagesOf: () => undefined };
  if (!isAscending(pageStarts)) {
    throw invalidDocument(
      "pageStarts in the metadata of a document must be a list of positions in its text, in ascending order.",
    );
  }
  return { rest, pagesOf: ({ start, end }) => ({ pages: pagesBetween(pageStarts, start, end) }) };
}

function isAscending(value: unknown): value is readonly number[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((start, index) => Number.isSafeInteger(start) && start >= (index === 0 ? 0 : value[index - 1]));
}

/** Page numbers, from 1. Empty pages are left out. */
function pagesBetween(starts: readonly number[], start: number, end: number): number[] {
  const pages: number[] = [];
  for (let index = lastBefore(starts, start); index < starts.length; index++) {
    const from = starts[index] ?? 0;
    const to = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    if (from >= end) break;
    if (to > start && from < to) pages.push(index + 1);
  }
  return pages;
}

/** The index of the last page that begins at or before a position. */
function lastBefore(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
