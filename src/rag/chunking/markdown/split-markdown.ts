import { invalidRagOption } from "../../errors.js";
import { addHeadings, type HeaderNames } from "../heading-path.js";
import { findLineBreaks } from "../line-breaks.js";
import { addOverlap, withoutOverlap } from "../overlap.js";
import { lineSeparators, proseSeparators, splitAt, splitRecursively } from "../separators.js";
import { fits, pack, type Sizing } from "../sizing.js";
import type { FoundChunk, TextSpan } from "../span.js";
import { type MarkdownBlock, scanBlocks } from "./scan-blocks.js";

export interface MarkdownSplit {
  /** Where the document begins, after its front matter. */
  readonly from: number;
  readonly overlap: number;
  readonly headers: HeaderNames | undefined;
  readonly stripHeaders: boolean;
  readonly returnEachLine: boolean;
}

/** Converts `[["#", "title"]]` to depths. */
export function readHeaders(headers: readonly (readonly [string, string])[] | undefined): HeaderNames | undefined {
  if (headers === undefined) return undefined;
  return new Map(
    headers.map(([marks, name]) => {
      if (!/^#{1,6}$/.test(marks))
        throw invalidRagOption(
          `headers of a Markdown strategy names an unknown heading "${marks}". Use "#" to "######".`,
        );
      return [marks.length, name];
    }),
  );
}

/** Splits each section into one or more chunks. */
export function splitMarkdown(sizing: Sizing, options: MarkdownSplit): readonly FoundChunk[] {
  const { overlap, headers, stripHeaders, returnEachLine } = options;
  const isSplitting = (block: MarkdownBlock): boolean =>
    block.type === "heading" && (headers === undefined || headers.has(block.depth));
  const blocks = scanBlocks(sizing.text, options.from);
  const starts = blocks.flatMap((block, index) => (index === 0 || isSplitting(block) ? [index] : []));
  const found = starts.flatMap((start, index): readonly FoundChunk[] => {
    const first = blocks[start];
    const isStripped = stripHeaders && first !== undefined && isSplitting(first);
    const kept = blocks.slice(isStripped ? start + 1 : start, starts[index + 1]);
    if (returnEachLine) return linesOf(sizing, kept);
    return addOverlap(sizing, splitBlocks(withoutOverlap(sizing, overlap), kept), overlap);
  });
  return addHeadings(sizing.text, found, headingsOf(blocks), headers);
}

const headingsOf = (blocks: readonly MarkdownBlock[]): MarkdownBlock[] =>
  blocks.filter(({ type }) => type === "heading");

function linesOf(sizing: Sizing, blocks: readonly MarkdownBlock[]): TextSpan[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  return splitAt(sizing.text, span, { pattern: findLineBreaks }).flatMap((line) =>
    splitRecursively(sizing, line, lineSeparators),
  );
}

/** Packs whole blocks into chunks. Blocks that are too large are split. */
function splitBlocks(sizing: Sizing, blocks: readonly MarkdownBlock[]): FoundChunk[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  if (fits(sizing, span)) return [span];
  const found: FoundChunk[] = [];
  let small: TextSpan[] = [];
  for (const piece of withHeadings(sizing, blocks)) {
    if (fits(sizing, piece)) {
      small.push(piece);
      continue;
    }
    for (const span of pack(sizing, small)) found.push(span);
    for (const part of splitBlock(sizing, piece)) found.push(part);
    small = [];
  }
  return [...found, ...pack(sizing, small)];
}

/** Joins a heading with the block after it if both fit. */
function withHeadings(sizing: Sizing, blocks: readonly MarkdownBlock[]): MarkdownBlock[] {
  const pieces: MarkdownBlock[] = [];
  for (const block of blocks) {
    const before = pieces.at(-1);
    const joined = before && { ...block, start: before.start };
    if (before?.type === "heading" && joined !== undefined && fits(sizing, joined)) {
      pieces[pieces.length - 1] = joined;
    } else pieces.push(block);
  }
  return pieces;
}

/** Splits a block. Parts of a fence or a table that lack its head get the head in their metadata. */
function splitBlock(sizing: Sizing, block: MarkdownBlock): FoundChunk[] {
  const isLines = block.type === "fence" || block.type === "table";
  const spans = splitRecursively(sizing, block, isLines ? lineSeparators : proseSeparators);
  if (!isLines) return spans;
  const head = sizing.text.slice(block.start, block.headEnd).trim();
  return spans.map((span) => (span.start < block.headEnd ? span : { ...span, metadata: { head } }));
}

/** Splits into whole sections, and joins those that fit together. */
export function joinSections(sizing: Sizing, { from, overlap, headers }: MarkdownSplit): readonly FoundChunk[] {
  const blocks = scanBlocks(sizing.text, from);
  const found = addOverlap(sizing, joinBlocks(withoutOverlap(sizing, overlap), blocks), overlap);
  return addHeadings(sizing.text, found, headingsOf(blocks), headers);
}

function joinBlocks(sizing: Sizing, blocks: readonly MarkdownBlock[]): FoundChunk[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  if (fits(sizing, span)) return [span];
  const depths = blocks.slice(1).flatMap(({ type, depth }) => (type === "heading" ? [depth] : []));
  if (depths.length === 0) return splitBlocks(sizing, blocks);
  const highest = Math.min(...depths);
  const starts = blocks.flatMap(({ type, depth }, index) =>
    index === 0 || (type === "heading" && depth === highest) ? [index] : [],
  );
  const parts = starts.map((start, index) => blocks.slice(start, starts[index + 1]));
  const found: FoundChunk[] = [];
  let open: TextSpan | undefined;
  for (const part of parts) {
    const own = spanOf(part);
    if (own === undefined) continue;
    const joined = open && { start: open.start, end: own.end };
    if (joined !== undefined && fits(sizing, joined)) {
      open = joined;
      continue;
    }
    if (open !== undefined) found.push(open);
    open = fits(sizing, own) ? own : undefined;
    if (open === undefined) found.push(...joinBlocks(sizing, part));
  }
  if (open !== undefined) found.push(open);
  return found;
}

function spanOf(blocks: readonly MarkdownBlock[]): TextSpan | undefined {
  const [first, last] = [blocks[0], blocks.at(-1)];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}
