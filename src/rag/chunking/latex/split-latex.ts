import { invalidRagOption } from "../../errors.js";
import { addHeadings, type HeaderNames } from "../heading-path.js";
import { type FindParts, type Group, packGroups } from "../pack-groups.js";
import { lineSeparators, proseParts, proseSeparators, splitAt, splitLarge, splitRecursively } from "../separators.js";
import { fits, type Sizing } from "../sizing.js";
import type { FoundChunk, TextSpan } from "../span.js";
import { headingNames, type LatexBlock, readLatex } from "./read-latex.js";

export interface LatexSplit {
  readonly headers: HeaderNames | undefined;
}

export interface LatexChunks {
  readonly found: readonly FoundChunk[];
  /** Metadata: `parseError` if the document could not be parsed. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** Converts `[["section", "title"]]` to depths. */
export function readLatexHeaders(headers: readonly (readonly [string, string])[] | undefined): HeaderNames | undefined {
  if (headers === undefined) return undefined;
  return new Map(
    headers.map(([macro, name]) => {
      const depth = headingNames.indexOf(macro);
      if (depth < 0) {
        throw invalidRagOption(
          `headers of the strategy "latex" names an unknown heading "${macro}". Headings: ${headingNames.join(", ")}.`,
        );
      }
      return [depth, name];
    }),
  );
}

/** Splits the preamble and each section. A document that cannot be parsed is split like plain text. */
export function splitLatex(sizing: Sizing, { headers }: LatexSplit): LatexChunks {
  const end = sizing.text.length;
  const document = readLatex(sizing.text);
  if ("fault" in document) {
    const groups = splitRecursively(sizing, { start: 0, end }, proseSeparators);
    return { found: packGroups(sizing, groups, proseParts(sizing.text)), own: { parseError: document.fault } };
  }
  const { body, blocks, headings } = document;
  const splitting = headings.filter(({ depth }) => headers === undefined || headers.has(depth));
  const starts = [...new Set([0, body, ...splitting.map(({ start }) => start)])];
  let next = 0;
  const found = starts.flatMap((start, index) => {
    const section = { start, end: starts[index + 1] ?? end };
    const first = next;
    while (next < blocks.length && (blocks[next]?.start ?? end) < section.end) next++;
    const own = blocks.slice(first, next);
    return packGroups(sizing, splitSection(sizing, section, own), partsOutside(sizing.text, own));
  });
  return { found: addHeadings(sizing.text, found, headings, headers), own: {} };
}

/** Finds the lines and sentences in a paragraph. Environments stay whole. */
function partsOutside(text: string, blocks: readonly LatexBlock[]): FindParts {
  const findProse = proseParts(text);
  const starts = new Set(blocks.map(({ start }) => start));
  return (unit) => (starts.has(unit.start) ? [] : findProse(unit));
}

/** Groups whole paragraphs and environments. Those that are too large are split. */
function splitSection(sizing: Sizing, section: TextSpan, blocks: readonly LatexBlock[]): Group[] {
  if (fits(sizing, section)) return [{ units: [section] }];
  const verbatim = new Set<TextSpan>(blocks.filter(({ isVerbatim }) => isVerbatim));
  return splitLarge(sizing, partsOf(sizing.text, section, blocks), (part) =>
    splitRecursively(sizing, part, verbatim.has(part) ? lineSeparators : proseSeparators),
  );
}

/** Blocks, and the paragraphs between them. */
function partsOf(text: string, section: TextSpan, blocks: readonly LatexBlock[]): TextSpan[] {
  const parts: TextSpan[] = [];
  const [paragraph] = proseSeparators;
  let from = section.start;
  const addText = (end: number): void => {
    if (end > from) parts.push(...(paragraph === undefined ? [] : splitAt(text, { start: from, end }, paragraph)));
  };
  for (const block of blocks) {
    addText(block.start);
    parts.push(block);
    from = block.end;
  }
  addText(section.end);
  return parts;
}
