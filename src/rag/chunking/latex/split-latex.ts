import { invalidRagOption } from "../../errors.js";
import { type HeaderNames, HeadingPath } from "../heading-path.js";
import { addOverlap, withoutOverlap } from "../overlap.js";
import { lineSeparators, proseSeparators, splitAt, splitLarge, splitRecursively } from "../separators.js";
import { fits, type Sizing } from "../sizing.js";
import type { FoundChunk, Span } from "../span.js";
import { headingNames, type LatexBlock, type LatexParts, readLatex } from "./read-latex.js";

export interface LatexSplit {
  readonly overlap: number;
  readonly headers: HeaderNames | undefined;
}

export interface LatexChunks {
  readonly found: readonly FoundChunk[];
  /** What the document says about itself: why it could not be read. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** `[["section", "title"]]` as depths. */
export function readLatexHeaders(headers: readonly (readonly [string, string])[] | undefined): HeaderNames | undefined {
  if (headers === undefined) return undefined;
  return new Map(
    headers.map(([macro, name]) => {
      const depth = headingNames.indexOf(macro);
      if (depth < 0) {
        throw invalidRagOption(`headers of LaTeX name levels as ${headingNames.join(", ")}, not "${macro}".`);
      }
      return [depth, name];
    }),
  );
}

/** The preamble, and a chunk for each section, or several. What cannot be read is split as any text. */
export async function splitLatex(sizing: Sizing, { overlap, headers }: LatexSplit): Promise<LatexChunks> {
  const whole = { start: 0, end: sizing.text.length };
  const room = withoutOverlap(sizing, overlap);
  const document = await readLatex(sizing.text);
  if ("fault" in document) {
    const found = addOverlap(sizing, splitRecursively(room, whole, proseSeparators), overlap);
    return { found, own: { parseError: document.fault } };
  }
  const found = sectionsOf(whole, document, headers).flatMap(({ span, path }) =>
    addOverlap(sizing, splitSection(room, span, document.blocks), overlap).map((chunk) => ({
      ...chunk,
      metadata: path,
    })),
  );
  return { found, own: {} };
}

interface Section {
  readonly span: Span;
  readonly path: Readonly<Record<string, unknown>>;
}

function sectionsOf({ end }: Span, { body, headings }: LatexParts, headers: HeaderNames | undefined): Section[] {
  const path = new HeadingPath(headers);
  const splitting = headings.filter(({ depth }) => headers === undefined || headers.has(depth));
  const starts = [...new Set([0, body, ...splitting.map(({ start }) => start)])].sort((one, other) => one - other);
  let entered = 0;
  return starts.map((start, index) => {
    for (
      let heading = headings[entered];
      heading !== undefined && heading.start <= start;
      heading = headings[entered]
    ) {
      path.enter(heading);
      entered++;
    }
    return { span: { start, end: starts[index + 1] ?? end }, path: path.metadata };
  });
}

/** Chunks of whole paragraphs and environments; one that is too large is split inside. */
function splitSection(sizing: Sizing, section: Span, blocks: readonly LatexBlock[]): Span[] {
  if (fits(sizing, section)) return [section];
  const own = blocks.filter(({ start, end }) => start >= section.start && end <= section.end);
  const verbatim = new Set<Span>(own.filter(({ isVerbatim }) => isVerbatim));
  return splitLarge(sizing, partsOf(sizing.text, section, own), (part) =>
    splitRecursively(sizing, part, verbatim.has(part) ? lineSeparators : proseSeparators),
  );
}

/** Blocks, and the paragraphs between them. */
function partsOf(text: string, section: Span, blocks: readonly LatexBlock[]): Span[] {
  const parts: Span[] = [];
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
