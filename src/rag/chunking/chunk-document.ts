import type { Chunk } from "../chunk.js";
import { isEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import { emptySeparator, invalidDocument, invalidRagOption, invalidValue, unmatchedSeparator } from "../errors.js";
import type { ExtractOptions } from "../extraction/extract-options.js";
import type { PartialContext } from "../lone-context.js";
import { type CheckedChunkOptions, checkChunkOptions } from "./check-options.js";
import type { ChunkOptions } from "./chunk-options.js";
import { Graphemes } from "./graphemes.js";
import { type Group, packGroups } from "./pack-groups.js";
import { findTopicChanges, sentencesOf } from "./sentences.js";
import {
  partsBetween,
  proseParts,
  proseSeparators,
  type Separator,
  splitParts,
  splitRecursively,
} from "./separators.js";
import { characters, type Measure, type Sizing } from "./sizing.js";
import { checkMetadata, type SourceDocument } from "./source-document.js";
import { type FoundChunk, type TextSpan, trimSpan } from "./span.js";
import { loadTokenizer, Tokenizer } from "./tokenizer.js";

/** Splits a document, and extracts metadata from the chunks with a model if `extract` is set. */
export async function chunkDocument(
  document: SourceDocument,
  options: ChunkOptions = {},
  ctx?: PartialContext,
): Promise<Chunk[]> {
  const { text } = document;
  if (typeof text !== "string")
    throw invalidDocument(`The content of a document must be a string (got ${typeof text}).`);
  const { rest: metadata, pagesOf } = takePages(document.metadata);
  checkMetadata(metadata);
  const checked = checkChunkOptions(options, document.strategy);
  const sizing = await sizingOf(text, checked);
  const { found, own } = await findChunks(sizing, checked, ctx);
  const all = { ...own, ...metadata };
  checkMetadata(all);
  const id = document.id ?? (await sha256(text));
  const chunks = finishChunks(found, { sizing, id, metadata: all, pagesOf });
  const extract = checked.values.extract as ExtractOptions | undefined;
  return extract === undefined
    ? chunks
    : (await import("../extraction/extract-metadata.js")).extractMetadata(chunks, extract, ctx);
}

async function sizingOf(text: string, { strategy, size, overlap, values }: CheckedChunkOptions): Promise<Sizing> {
  const measure = await measureOf(strategy === "token" ? "tokens" : values.length, values);
  return { text, size, overlap, measure, strip: values.stripWhitespace !== false, graphemes: new Graphemes() };
}

async function measureOf(length: unknown, values: CheckedChunkOptions["values"]): Promise<Measure> {
  if (length === undefined || length === "characters") return characters;
  if (typeof length !== "function") {
    return loadTokenizer({
      encodingName: textOrNothing("encodingName", values.encodingName),
      modelName: textOrNothing("modelName", values.modelName),
    });
  }
  return {
    isCharacters: false,
    of: (text) => {
      const count: unknown = length(text);
      if (typeof count === "number" && count >= 0) return count;
      throw invalidValue("The result of length", "a number of at least 0", count);
    },
  };
}

function textOrNothing(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw invalidValue(name, "a string", value);
}

interface Found {
  readonly found: readonly FoundChunk[];
  /** Metadata found in the document itself. */
  readonly own?: Readonly<Record<string, unknown>>;
}

type Pairs = readonly (readonly [string, string])[] | undefined;

async function findChunks(
  sizing: Sizing,
  { strategy, values }: CheckedChunkOptions,
  ctx: PartialContext | undefined,
): Promise<Found> {
  const { text } = sizing;
  const whole = { start: 0, end: text.length };
  switch (strategy) {
    case "recursive": {
      const separators = separatorsOf(values, proseSeparators);
      const isProse = values.separators === undefined && values.separator === undefined;
      const findParts = isProse ? proseParts(text) : partsBetween(text, separators);
      return { found: packGroups(sizing, splitRecursively(sizing, whole, separators), findParts) };
    }
    case "character":
      return packed(sizing, splitRecursively(sizing, whole, separatorsOf(values, [{ pattern: "\n\n" }])));
    case "token":
      return packed(sizing, [{ units: tokensOf(sizing) }]);
    case "markdown":
    case "semantic-markdown":
      return findMarkdown(sizing, { strategy, values });
    case "html":
      return (await import("./html/split-html.js")).splitHtml(sizing, {
        headers: (values.headers as Pairs) ?? [],
        sections: (values.sections as Pairs) ?? [],
        returnEachLine: values.returnEachLine === true,
      });
    case "json":
      return {
        found: (await import("./json/split-json.js")).splitJson(sizing, {
          minSize: minSizeOf(values.minSize, sizing.size),
          ensureAscii: values.ensureAscii === true,
          convertLists: values.convertLists === true,
        }),
      };
    case "latex": {
      const { readLatexHeaders, splitLatex } = await import("./latex/split-latex.js");
      return splitLatex(sizing, { headers: readLatexHeaders(values.headers as Pairs) });
    }
    case "sentence":
      return packed(sizing, splitParts(sizing, [...sentencesOf(text, whole)], proseSeparators));
    case "semantic": {
      const topics = await findSemantic(text, whole, values, ctx);
      return packed(
        sizing,
        topics.flatMap((sentences) => splitParts(sizing, sentences, proseSeparators)),
      );
    }
    default:
      return strategy satisfies never;
  }
}

const packed = (sizing: Sizing, groups: readonly Group[]): Found => ({ found: packGroups(sizing, groups) });

async function findMarkdown(
  sizing: Sizing,
  { strategy, values }: Pick<CheckedChunkOptions, "strategy" | "values">,
): Promise<Found> {
  const { joinSections, readHeaders, splitMarkdown } = await import("./markdown/split-markdown.js");
  const { readFrontMatter } = await import("./markdown/front-matter.js");
  const { metadata, end } = readFrontMatter(sizing.text);
  const options = {
    from: sizing.text.startsWith("\ufeff") ? Math.max(end, 1) : end,
    headers: readHeaders(values.headers as Pairs),
    stripHeaders: values.stripHeaders === true,
    returnEachLine: values.returnEachLine === true,
  };
  const split = strategy === "markdown" ? splitMarkdown : joinSections;
  return { found: split(sizing, options), own: metadata };
}

/** The tokens of a text. A character that has several tokens is one unit. */
function tokensOf({ measure, text }: Sizing): TextSpan[] {
  const ends = measure instanceof Tokenizer ? measure.ends(text) : [text.length];
  return ends.map((end, index) => ({ start: ends[index - 1] ?? 0, end }));
}

async function findSemantic(
  text: string,
  whole: TextSpan,
  { embedder, threshold }: CheckedChunkOptions["values"],
  ctx: PartialContext | undefined,
): Promise<TextSpan[][]> {
  if (!isEmbedder(embedder)) {
    throw invalidRagOption('The strategy "semantic" needs an embedder: { strategy: "semantic", embedder }.');
  }
  if (threshold !== undefined && (typeof threshold !== "number" || !(Math.abs(threshold) <= 1)))
    throw invalidValue("threshold", "a number from -1 to 1", threshold);
  const sentences = [...sentencesOf(text, whole)].filter(({ start, end }) => text.slice(start, end).trim() !== "");
  // a single sentence has no neighbor to compare it with
  if (sentences.length < 2) return [sentences];
  const vectors = await embedTexts(
    embedder,
    sentences.map(({ start, end }) => text.slice(start, end).trim()),
    {},
    ctx,
  );
  const starts = [0, ...findTopicChanges(vectors, threshold)];
  return starts.map((start, index) => sentences.slice(start, starts[index + 1]));
}

function separatorsOf(values: CheckedChunkOptions["values"], byDefault: readonly Separator[]): readonly Separator[] {
  const { separator, separators, isSeparatorRegex, keepSeparator } = values;
  if (separator !== undefined && separators !== undefined)
    throw invalidRagOption("separator and separators cannot be combined. Set only one of them.");
  const given = separators ?? (separator === undefined ? undefined : [separator]);
  const keep = keepSeparator as Separator["keep"];
  if (given === undefined) return keep === undefined ? byDefault : byDefault.map(({ pattern }) => ({ pattern, keep }));
  if (!Array.isArray(given)) throw invalidValue("separators", "a list of strings or regular expressions", given);
  return given.flatMap((item: unknown) => {
    // an empty string means cutting between characters, which is the last resort anyway
    return item === "" && isSeparatorRegex !== true
      ? []
      : [{ pattern: patternOf(item, isSeparatorRegex === true), keep }];
  });
}

function patternOf(given: unknown, isRegex: boolean): string | RegExp {
  if (given instanceof RegExp)
    return checkedPattern(new RegExp(given.source, `${given.flags.replaceAll(/[gy]/g, "")}g`));
  if (typeof given !== "string") throw invalidValue("A separator", "a string or a regular expression", given);
  if (!isRegex) return given;
  try {
    return checkedPattern(new RegExp(given, "g"));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidValue("A separator", "a valid regular expression", given);
    throw error;
  }
}

/** Patterns that match the empty string only in some texts, such as lookaheads, are rejected later, while splitting. */
function checkedPattern(pattern: RegExp): RegExp {
  if (pattern.test("")) throw emptySeparator(pattern);
  if (matchesNothing.has(pattern.source)) throw unmatchedSeparator(pattern);
  return pattern;
}

/** The pattern that an empty list makes. */
const matchesNothing: ReadonlySet<string> = new Set(["[]", "[]+", "[]*", "(?!)", "(?:[])"]);

function minSizeOf(given: unknown, size: number): number {
  const minSize = given ?? 0;
  if (typeof minSize === "number" && minSize >= 0 && minSize <= size) return minSize;
  throw invalidValue("minSize", `a number from 0 to the size, ${size}`, given);
}

interface ChunkContext {
  readonly sizing: Sizing;
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly pagesOf: PagesOf;
}

/** The last step of every strategy: trims chunks, drops blank ones, and adds ids and metadata. */
function finishChunks(found: readonly FoundChunk[], { sizing, id, metadata, pagesOf }: ChunkContext): Chunk[] {
  // slices of the source have distinct positions; chunks with a generated text may share one
  const ids = new Map<string, number>();
  const distinct = (place: string): string => {
    const count = (ids.get(place) ?? 0) + 1;
    ids.set(place, count);
    return count === 1 ? place : `${place}#${count}`;
  };
  return found.flatMap((chunk) => {
    const trimmed = chunk.text === undefined ? trimSpan(sizing.text, chunk) : chunk;
    if (chunk.text === undefined ? trimmed.start === trimmed.end : chunk.text.trim() === "") return [];
    const { start, end } = sizing.strip ? trimmed : chunk;
    const text = chunk.text ?? sizing.text.slice(start, end);
    const place = `${id}:${start}-${end}`;
    return [
      {
        id: chunk.text === undefined ? place : distinct(place),
        text,
        metadata: { ...metadata, ...chunk.metadata, ...pagesOf({ start, end }), start, end },
      },
    ];
  });
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the pages that a chunk is on, or `undefined` for documents without pages. */
type PagesOf = (chunk: TextSpan) => { readonly pages: readonly number[] } | undefined;

/** Removes `pageStarts` from the metadata of a document; chunks get `pages` instead. */
function takePages(metadata: Readonly<Record<string, unknown>>): {
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
