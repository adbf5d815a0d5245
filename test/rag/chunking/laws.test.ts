import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { type ChunkOptions, MDocument } from "kumiko/rag";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { describe, expect, it } from "vitest";
import { documentCount, latexTexts, markdownTexts, proseTexts, runs } from "./documents.js";
import {
  expectExact,
  expectNothingLost,
  expectOverlapping,
  expectWhole,
  graphemeEnds,
  isBlank,
  type Place,
  placeOf,
  placesBetween,
  trimPlace,
} from "./laws.js";

const sizes = fc.integer({ min: 1, max: 120 });
const timeout = 60_000 + documentCount * 100;
const count = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;
const embedder = {
  component: "embedder" as const,
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length % 7, text.charCodeAt(0) % 5, 1]),
};

const overlaps = fc
  .tuple(sizes, sizes)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => ({ size: Math.max(one, other), overlap: Math.min(one, other) }));

interface Strategy {
  readonly options: ChunkOptions;
  readonly texts: fc.Arbitrary<string>;
  /** What must not be cut if it fits. */
  readonly units?: (text: string) => readonly Place[];
  /** Whether a text that fits is one chunk. Others begin a chunk at each section, topic or line. */
  readonly isWhole?: boolean;
}

const paragraphs = (text: string): Place[] =>
  placesBetween(text, /(?:\r\n|\r(?!\n)|\n)(?:[ \t]*(?:\r\n|\r(?!\n)|\n))+/g);
const lines = (text: string): Place[] => placesBetween(text, /\r\n|\r|\n/g);
const sentences = (text: string): Place[] => {
  const segments = new Intl.Segmenter("und", { granularity: "sentence" }).segment(text);
  return Array.from(segments, ({ index, segment }) => ({ start: index, end: index + segment.length }));
};

/** The fences and tables of a Markdown document, and its paragraphs. */
function markdownBlocks(text: string): Place[] {
  const start = frontMatter.exec(text)?.[0].length ?? 0;
  // the parser removes a byte order mark, which would move its positions
  const from = start + (/^\ufeff*/.exec(text.slice(start))?.[0].length ?? 0);
  const { children } = fromMarkdown(text.slice(from), {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return children.flatMap(({ type, position }) => {
    const [start, end] = [position?.start.offset, position?.end.offset];
    const isUnit = type === "code" || type === "table" || type === "paragraph";
    return isUnit && start !== undefined && end !== undefined ? [{ start: from + start, end: from + end }] : [];
  });
}

const environments = (text: string): Place[] =>
  Array.from(text.matchAll(/\\begin\{(itemize|equation|verbatim)\}[\s\S]*?\\end\{\1\}/g), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));

const strategies: readonly Strategy[] = [
  {
    options: { strategy: "recursive" },
    texts: proseTexts,
    units: (text) => [...paragraphs(text), ...lines(text)],
    isWhole: true,
  },
  {
    options: { strategy: "character", separator: "\n" },
    texts: proseTexts,
    units: (text) => placesBetween(text, /\n/g),
    isWhole: true,
  },
  {
    options: { strategy: "character", separator: "[.。]\\s*", isSeparatorRegex: true, keepSeparator: "end" },
    texts: proseTexts,
    units: (text) => placesBetween(text, /[.。]\s*/g, true),
    isWhole: true,
  },
  {
    options: { strategy: "recursive", separators: ["\n", " "], keepSeparator: "start" },
    texts: proseTexts,
    units: (text) => [...placesBetween(text, /\n/g), ...placesBetween(text, /[\n ]/g)],
    isWhole: true,
  },
  { options: { strategy: "sentence" }, texts: proseTexts, units: sentences, isWhole: true },
  { options: { strategy: "semantic", embedder }, texts: proseTexts, units: sentences },
  { options: { strategy: "markdown" }, texts: markdownTexts, units: markdownBlocks },
  { options: { strategy: "markdown", headers: [["##", "part"]] }, texts: markdownTexts, units: markdownBlocks },
  { options: { strategy: "markdown", returnEachLine: true }, texts: markdownTexts },
  { options: { strategy: "latex" }, texts: latexTexts, units: environments },
  { options: { strategy: "latex", headers: [["section", "title"]] }, texts: latexTexts },
  {
    options: { strategy: "semantic-markdown", headers: [["#", "title"]] },
    texts: markdownTexts,
    units: markdownBlocks,
    isWhole: true,
  },
];

const isGapOf =
  ({ strategy }: ChunkOptions) =>
  (gap: string): boolean =>
    isBlank(gap.replace(frontMatter, "").replaceAll(/[.。]/g, (mark) => (strategy === "character" ? "" : mark)));

const frontMatter = /^\ufeff?---\n[\s\S]*?\n---\n/;
const title = ({ options }: { readonly options: ChunkOptions }): string => JSON.stringify(options);

describe.each(strategies.map((strategy) => ({ ...strategy, title: title(strategy) })))(
  "$title",
  ({ options, texts, units = () => [], isWhole = false }) => {
    it("gives slices of the source that are no larger than the size, and loses blanks only", { timeout }, async () => {
      await fc.assert(
        fc.asyncProperty(texts, sizes, async (text, size) => {
          const chunks = await MDocument.fromMarkdown(text).chunk({ ...options, size });
          expectExact(text, chunks);
          expectNothingLost(text, chunks, isGapOf(options));
          expectSizes(text, chunks.map(placeOf), size);
        }),
        runs,
      );
    });

    it("repeats no more than the overlap, cuts no unit that fits, and puts no chunk inside another", {
      timeout,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(texts, overlaps, async (text, { size, overlap }) => {
          const chunks = await MDocument.fromMarkdown(text).chunk({ ...options, size, overlap } as ChunkOptions);
          expectExact(text, chunks);
          expectSizes(text, chunks.map(placeOf), size);
          expectOverlapping(text, chunks, { overlap, isGap: isGapOf(options) });
          // a LaTeX document that cannot be parsed is split as plain text
          if (chunks[0]?.metadata.parseError === undefined) expectWhole(text, chunks, units(text), size);
        }),
        runs,
      );
    });

    it("splits with an overlap only what it splits without one", { timeout }, async () => {
      await fc.assert(
        fc.asyncProperty(texts, fc.nat({ max: 1_000 }), async (text, overlap) => {
          const [size, document] = [Math.max(text.length, overlap + 1), MDocument.fromMarkdown(text)];
          const whole = await document.chunk({ ...options, size } as ChunkOptions);
          const overlapping = await document.chunk({ ...options, size, overlap } as ChunkOptions);
          expect(overlapping.map(({ metadata: { end } }) => end)).toEqual(whole.map(({ metadata: { end } }) => end));
          if (isWhole) expect(whole.length).toBeLessThanOrEqual(1);
        }),
        runs,
      );
    });
  },
);

/** A chunk that is larger is one grapheme. */
function expectSizes(text: string, places: readonly { start: number; end: number }[], size: number): void {
  const ends = graphemeEnds(text);
  for (const { start, end } of places) {
    expect(ends.has(start)).toBe(true);
    expect(ends.has(end)).toBe(true);
    if (end - start <= size) continue;
    for (let place = start + 1; place < end; place++) expect(ends.has(place)).toBe(false);
  }
}

describe("an overlap", () => {
  const textsOf = async (text: string, options: ChunkOptions) =>
    (await MDocument.fromMarkdown(text).chunk(options)).map((chunk) => chunk.text);

  it("begins each chunk with as many whole sentences as fit beside the next one", { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(proseTexts, overlaps, async (text, { size, overlap }) => {
        const units = sentences(text)
          .map((unit) => trimPlace(text, unit))
          .filter(({ start, end }) => start < end);
        fc.pre(units.every(({ start, end }) => end - start <= size));
        const places = (await MDocument.fromText(text).chunk({ strategy: "sentence", size, overlap })).map(placeOf);
        for (const [index, place] of places.entries()) {
          const before = places[index - 1];
          if (before === undefined) continue;
          const next = units.find(({ start }) => start >= before.end);
          const allowed = units
            .map(({ start }) => start)
            .filter((start) => start > before.start && start < before.end && before.end - start <= overlap)
            .filter((start) => (next?.end ?? 0) - start <= size);
          expect(place.start).toBe(allowed[0] ?? next?.start);
        }
      }),
      runs,
    );
  });

  it("of recursive chunks has whole paragraphs, or else whole lines and sentences", async () => {
    const text = "One.\n\nTwo is here. It is short.\n\nThree. Four.\n\nFive is the last one.";
    expect(await textsOf(text, { strategy: "recursive", size: 40, overlap: 15 })).toEqual([
      "One.\n\nTwo is here. It is short.",
      "It is short.\n\nThree. Four.",
      "Three. Four.\n\nFive is the last one.",
    ]);
    expect(await textsOf(text, { strategy: "recursive", size: 40, overlap: 5 })).toEqual([
      "One.\n\nTwo is here. It is short.",
      "Three. Four.\n\nFive is the last one.",
    ]);
  });

  it("steps by the size without the overlap through a text that has no units", async () => {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    expect(await textsOf(letters, { strategy: "character", size: 10, overlap: 4 })).toEqual([
      "abcdefghij",
      "ghijklmnop",
      "mnopqrstuv",
      "stuvwxyz",
    ]);
  });

  it("steps through tokens too", async () => {
    const text = " tea".repeat(20).trim();
    const chunks = await textsOf(text, { strategy: "token", size: 8, overlap: 3 });
    expect(chunks.map(count)).toEqual([8, 8, 8, 5]);
  });

  it("does not begin a chunk inside a table, whose head would be missing", async () => {
    const rows = Array.from({ length: 6 }, (_, index) => `| row ${index} |`).join("\n");
    const table = `| head |\n|---|\n${rows}`;
    const chunks = await MDocument.fromMarkdown(`An intro. Before.\n\n${table}\n\nAfter the table.`).chunk({
      strategy: "markdown",
      size: 40,
      overlap: 12,
    });
    expect(chunks.map(({ text, metadata: { head } }) => [text, head])).toEqual([
      ["An intro. Before.", undefined],
      ["Before.\n\n| head |\n|---|\n| row 0 |", undefined],
      ["| row 0 |\n| row 1 |\n| row 2 |\n| row 3 |", "| head |\n|---|"],
      ["| row 3 |\n| row 4 |\n| row 5 |", "| head |\n|---|"],
      ["After the table.", undefined],
    ]);
  });

  it("applies to the pieces of long lines where each line is a chunk", async () => {
    const options = { strategy: "markdown", returnEachLine: true, size: 10, overlap: 4 } as const;
    expect(await textsOf("short\nabcdefghijklmnop\nend", options)).toEqual([
      "short",
      "abcdefghij",
      "ghijklmnop",
      "end",
    ]);
  });
});

describe("tokens", () => {
  it("are counted as the model does, and no character is cut", { timeout: timeout * 2 }, async () => {
    await fc.assert(
      fc.asyncProperty(proseTexts, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (text, size, overlaps) => {
        const overlap = overlaps ? size >> 1 : 0;
        const chunks = await MDocument.fromText(text).chunk({ strategy: "token", size, overlap });
        expectExact(text, chunks);
        expectOverlapping(text, chunks, { overlap, isGap: isBlank, sizeOf: (shared) => count(shared.trim()) });
        for (const { text: part } of chunks) {
          expect(/^[\udc00-\udfff]/.test(part) && /[\ud800-\udbff]$/.test(part)).toBe(false);
          if (Array.from(part).length > 1) expect(count(part)).toBeLessThanOrEqual(size);
        }
      }),
      runs,
    );
  });

  it("may be what the size of any strategy counts", { timeout: timeout * 2 }, async () => {
    await fc.assert(
      fc.asyncProperty(markdownTexts, fc.integer({ min: 8, max: 60 }), async (text, size) => {
        const chunks = await MDocument.fromMarkdown(text).chunk({ size, length: "tokens" });
        expectExact(text, chunks);
        expectNothingLost(text, chunks, (gap) => isBlank(gap.replace(frontMatter, "")));
        for (const { text: part } of chunks) {
          if (graphemeEnds(part).size > 2) expect(count(part)).toBeLessThanOrEqual(size);
        }
      }),
      runs,
    );
  });
});

describe("a length of your own", () => {
  it("is kept", { timeout }, async () => {
    const words = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
    await fc.assert(
      fc.asyncProperty(proseTexts, fc.integer({ min: 1, max: 10 }), async (text, size) => {
        const chunks = await MDocument.fromText(text).chunk({ size, length: words });
        expectExact(text, chunks);
        expectNothingLost(text, chunks, isBlank);
        for (const { text: part } of chunks) expect(words(part)).toBeLessThanOrEqual(size);
      }),
      runs,
    );
  });
});

it("splits the same document the same way, with the same ids", async () => {
  await fc.assert(
    fc.asyncProperty(markdownTexts, sizes, async (text, size) => {
      const [one, other] = [MDocument.fromMarkdown(text), MDocument.fromMarkdown(text)];
      expect(await one.chunk({ size })).toEqual(await other.chunk({ size }));
    }),
    runs,
  );
});
