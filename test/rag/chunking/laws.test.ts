import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ChunkOptions } from "../../../src/rag/chunking/chunk-options.js";
import { MDocument } from "../../../src/rag/m-document.js";
import { documentCount, latexTexts, markdownTexts, proseTexts, runs } from "./documents.js";
import { expectExact, expectNothingLost, graphemeEnds, isBlank, placeOf } from "./laws.js";

const sizes = fc.integer({ min: 1, max: 120 });
const timeout = 60_000 + documentCount * 100;
const count = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;
const embedder = {
  component: "embedder" as const,
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length % 7, text.charCodeAt(0) % 5, 1]),
};

const strategies: readonly { readonly options: ChunkOptions; readonly texts: fc.Arbitrary<string> }[] = [
  { options: { strategy: "recursive" }, texts: proseTexts },
  { options: { strategy: "character", separator: "\n" }, texts: proseTexts },
  {
    options: { strategy: "character", separator: "[.。]\\s*", isSeparatorRegex: true, keepSeparator: "end" },
    texts: proseTexts,
  },
  { options: { strategy: "recursive", separators: ["\n", " "], keepSeparator: "start" }, texts: proseTexts },
  { options: { strategy: "sentence" }, texts: proseTexts },
  { options: { strategy: "semantic", embedder }, texts: proseTexts },
  { options: { strategy: "markdown" }, texts: markdownTexts },
  { options: { strategy: "markdown", headers: [["##", "part"]] }, texts: markdownTexts },
  { options: { strategy: "markdown", returnEachLine: true }, texts: markdownTexts },
  { options: { strategy: "latex" }, texts: latexTexts },
  { options: { strategy: "latex", headers: [["section", "title"]] }, texts: latexTexts },
  { options: { strategy: "semantic-markdown", headers: [["#", "title"]] }, texts: markdownTexts },
];

const frontMatter = /^\ufeff?---\n[\s\S]*?\n---\n/;
const title = ({ options }: { readonly options: ChunkOptions }): string => JSON.stringify(options);

describe.each(strategies.map((strategy) => ({ ...strategy, title: title(strategy) })))(
  "$title",
  ({ options, texts }) => {
    it("gives slices of the source that are no larger than the size, and loses blanks only", { timeout }, async () => {
      await fc.assert(
        fc.asyncProperty(texts, sizes, async (text, size) => {
          const chunks = await MDocument.fromMarkdown(text).chunk({ ...options, size });
          expectExact(text, chunks);
          expectNothingLost(text, chunks, (gap) =>
            isBlank(
              gap
                .replace(frontMatter, "")
                .replaceAll(/[.。]/g, (mark) => (options.strategy === "character" ? "" : mark)),
            ),
          );
          expectSizes(text, chunks.map(placeOf), size);
        }),
        runs,
      );
    });

    it("repeats no more than the overlap, and still keeps to the size", { timeout }, async () => {
      const sized = fc.tuple(sizes, sizes).filter(([one, other]) => one !== other);
      await fc.assert(
        fc.asyncProperty(texts, sized, async (text, [one, other]) => {
          const [overlap, size] = one < other ? [one, other] : [other, one];
          if (options.strategy === "markdown" && options.returnEachLine) return;
          const chunks = await MDocument.fromMarkdown(text).chunk({ ...options, size, overlap } as ChunkOptions);
          expectExact(text, chunks);
          const places = chunks.map(placeOf);
          expectSizes(text, places, size);
          for (const [index, place] of places.entries()) {
            const before = places[index - 1];
            if (before === undefined) continue;
            expect(place.start).toBeGreaterThanOrEqual(before.start);
            expect(place.end).toBeGreaterThan(before.end);
            expect(before.end - place.start).toBeLessThanOrEqual(overlap);
          }
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

describe("tokens", () => {
  it("are counted as the model does, and no character is cut", { timeout: timeout * 2 }, async () => {
    await fc.assert(
      fc.asyncProperty(proseTexts, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (text, size, overlaps) => {
        const chunks = await MDocument.fromText(text).chunk({
          strategy: "token",
          size,
          overlap: overlaps ? size >> 1 : 0,
        });
        expectExact(text, chunks);
        if (!overlaps) expectNothingLost(text, chunks, isBlank);
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
