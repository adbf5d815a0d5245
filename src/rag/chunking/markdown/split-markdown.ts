import { invalidRagOption } from "../../errors.js";
import { addHeadings, type HeaderNames } from "../heading-path.js";
import { findLineBreaks } from "../line-breaks.js";
import { type FindParts, type Group, packGroups } from "../pack-groups.js";
import { lineSeparators, proseParts, proseSeparators, splitAt, splitLarge, splitRecursively } from "../separators.js";
import { fits, type Sizing } from "../sizing.js";
import type { FoundChunk, TextSpan } from "../span.js";
import { type MarkdownBlock, scanBlocks } from "./scan-blocks.js";

export interface MarkdownSplit {
  /** Where the document begins, after its front matter. */
  readonly from: number;
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
  const { headers, stripHeaders, returnEachLine } = options;
  const isSplitting = (block: MarkdownBlock): boolean =>
    block.type === "heading" && (headers === undefined || headers.has(block.depth));
  const blocks = scanBlocks(sizing.text, options.from);
  const starts = blocks.flatMap((block, index) => (index === 0 || isSplitting(block) ? [index] : []));
  const found = starts.flatMap((start, index): readonly FoundChunk[] => {
    const first = blocks[start];
    const isStripped = stripHeaders && first !== undefined && isSplitting(first);
    const kept = blocks.slice(isStripped ? start + 1 : start, starts[index + 1]);
    if (returnEachLine) return linesOf(sizing, kept);
    return packGroups(sizing, splitBlocks(sizing, kept), partsOf(sizing.text, kept));
  });
  return addHeadings(sizing.text, found, headingsOf(blocks), headers);
}

const headingsOf = (blocks: readonly MarkdownBlock[]): MarkdownBlock[] =>
  blocks.filter(({ type }) => type === "heading");

function linesOf(sizing: Sizing, blocks: readonly MarkdownBlock[]): FoundChunk[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  return splitAt(sizing.text, span, { pattern: findLineBreaks }).flatMap((line) =>
    packGroups(sizing, splitRecursively(sizing, line, lineSeparators)),
  );
}

/** Groups whole blocks. Blocks that are too large are split. */
function splitBlocks(sizing: Sizing, blocks: readonly MarkdownBlock[]): Group[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  if (fits(sizing, span)) return [{ units: [span] }];
  return splitLarge(sizing, withHeadings(sizing, blocks), (block) => splitBlock(sizing, block));
}

/** Finds the blocks in a unit, and the paragraphs, lines and sentences in those that are neither fences nor tables. */
function partsOf(text: string, blocks: readonly MarkdownBlock[]): FindParts {
  const findProse = proseParts(text);
  return (unit) =>
    blocks
      .filter(({ start, end }) => start < unit.end && end > unit.start)
      .flatMap((block) => {
        const start = Math.max(block.start, unit.start);
        return block.type === "other" ? findProse({ start, end: Math.min(block.end, unit.end) }) : [start];
      });
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
function splitBlock(sizing: Sizing, block: MarkdownBlock): Group[] {
  if (block.type !== "fence" && block.type !== "table") return splitRecursively(sizing, block, proseSeparators);
  const head = sizing.text.slice(block.start, block.headEnd).trim();
  const groups = splitRecursively(sizing, block, lineSeparators);
  return groups.map(({ units }, index) => ({
    units,
    // other blocks must not begin with lines that lack the head
    isClosed: index === groups.length - 1,
    metadataOf: ({ start }) => (start < block.headEnd ? undefined : { head }),
  }));
}

/** Splits into whole sections, and joins those that fit together. */
export function joinSections(sizing: Sizing, { from, headers }: MarkdownSplit): readonly FoundChunk[] {
  const blocks = scanBlocks(sizing.text, from);
  const found = packGroups(sizing, splitSections(sizing, blocks), partsOf(sizing.text, blocks));
  return addHeadings(sizing.text, found, headingsOf(blocks), headers);
}

interface Section extends TextSpan {
  readonly blocks: readonly MarkdownBlock[];
}

function splitSections(sizing: Sizing, blocks: readonly MarkdownBlock[]): Group[] {
  const span = spanOf(blocks);
  if (span === undefined) return [];
  if (fits(sizing, span)) return [{ units: [span] }];
  const depths = blocks.slice(1).flatMap(({ type, depth }) => (type === "heading" ? [depth] : []));
  if (depths.length === 0) return splitBlocks(sizing, blocks);
  const highest = Math.min(...depths);
  const starts = blocks.flatMap(({ type, depth }, index) =>
    index === 0 || (type === "heading" && depth === highest) ? [index] : [],
  );
  const sections = starts.flatMap((start, index): Section[] => {
    const own = blocks.slice(start, starts[index + 1]);
    const section = spanOf(own);
    return section === undefined ? [] : [{ ...section, blocks: own }];
  });
  return splitLarge(sizing, sections, (section) => splitSections(sizing, section.blocks));
}

function spanOf(blocks: readonly MarkdownBlock[]): TextSpan | undefined {
  const [first, last] = [blocks[0], blocks.at(-1)];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}
