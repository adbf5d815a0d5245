import type { AnyEmbedder } from "../embedding/any-embedder.js";
import type { ExtractOptions } from "../extraction/extract-options.js";
import type { TokenizerOptions } from "./tokenizer.js";

/** Options about the size of chunks. */
export interface SizeOptions extends TokenizerOptions {
  /** The maximum size of a chunk, in the unit that `length` selects. @default 4,000 characters; 512 tokens for the strategy "token" */
  readonly size?: number | undefined;
  /** Alias of `size`. */
  readonly maxSize?: number | undefined;
  /** The unit of `size`: UTF-16 code units, tokens, or a function that measures a text. @default "characters" */
  readonly length?: "characters" | "tokens" | ((text: string) => number) | undefined;
  /** Whether whitespace at both ends of a chunk is removed. @default true */
  readonly stripWhitespace?: boolean | undefined;
  /** The metadata that a model extracts from each chunk. */
  readonly extract?: ExtractOptions | undefined;
}

/** Options about the overlap of chunks. */
export interface OverlapOptions {
  /**
   * How much of the previous chunk is repeated, at most. A chunk begins with as many whole paragraphs, lines or sentences from the end
   * of the previous one as fit; a single one that is larger is not repeated. @default 0
   */
  readonly overlap?: number | undefined;
}

/** Options about the separators between chunks. */
export interface SeparatorOptions {
  /** Whether separator strings are regular expressions. @default false */
  readonly isSeparatorRegex?: boolean | undefined;
  /** Keeps the separator at the start of the next chunk or at the end of the previous one. @default it is dropped between chunks */
  readonly keepSeparator?: "start" | "end" | undefined;
  /** Alias of `keepSeparator`. */
  readonly separatorPosition?: "start" | "end" | undefined;
}

/** Splits any text into paragraphs, and those that are too large into lines, sentences, words and finally characters. */
export interface RecursiveOptions extends SizeOptions, OverlapOptions, SeparatorOptions {
  readonly strategy: "recursive";
  /** From the coarsest to the finest. @default blank lines, lines, sentences, spaces */
  readonly separators?: readonly (string | RegExp)[] | undefined;
  /** A single separator, instead of `separators`. */
  readonly separator?: string | RegExp | undefined;
}

/** Splits at a single separator. */
export interface CharacterOptions extends SizeOptions, OverlapOptions, SeparatorOptions {
  readonly strategy: "character";
  /** Where to split. @default a blank line, "\n\n" */
  readonly separator?: string | RegExp | undefined;
}

/** Fills each chunk with as many tokens as fit, without regard to words or sentences. */
export interface TokenOptions extends Omit<SizeOptions, "length">, OverlapOptions {
  readonly strategy: "token";
}

/** One chunk per section of a Markdown document. Sections that are too large are split between blocks. */
export interface MarkdownOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "markdown";
  /** The headings that begin a section, and their metadata keys: `[["#", "title"], ["##", "section"]]`. @default all headings */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** Whether to remove those headings from the text. @default false */
  readonly stripHeaders?: boolean | undefined;
  /** Whether each line is a chunk. @default false */
  readonly returnEachLine?: boolean | undefined;
}

/** Like "markdown", but merges small neighboring sections, the deepest first. */
export interface SemanticMarkdownOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "semantic-markdown";
  /** The metadata keys for the headings that enclose the beginning of a chunk. */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

/** The visible text of a page, by sections, headings or block elements. The metadata of chunks has the `title` of the page. */
export interface HtmlOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "html";
  /** Elements that begin a part, highest level first, and the metadata keys for their text: `[["h1", "title"]]`. */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** Elements that form a part, and the metadata keys for their first heading: `[["div.content", "main"]]`. */
  readonly sections?: readonly (readonly [string, string])[] | undefined;
  /** Whether each line is a chunk. @default false */
  readonly returnEachLine?: boolean | undefined;
}

/** Valid JSON. Each chunk repeats the enclosing objects, so deep-merging all chunks restores the whole value. */
export interface JsonOptions extends SizeOptions {
  readonly strategy: "json";
  /** Chunks smaller than this are merged with a neighbor if the result fits. @default 0 */
  readonly minSize?: number | undefined;
  /** Whether to escape all non-ASCII characters. @default false */
  readonly ensureAscii?: boolean | undefined;
  /** Whether to convert arrays to objects keyed by index, so that they can be split. @default false */
  readonly convertLists?: boolean | undefined;
}

/** One chunk for the preamble of a LaTeX document and one per section. Environments stay whole if they fit. */
export interface LatexOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "latex";
  /** The headings that begin a section, and their metadata keys: `[["section", "title"]]`. @default all headings */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

/** Fills each chunk with as many whole sentences as fit. */
export interface SentenceOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "sentence";
}

/** Ends a chunk where the next sentence differs in meaning. */
export interface SemanticOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "semantic";
  /** Embeds the sentences to compare them. */
  readonly embedder: AnyEmbedder;
  /** A chunk ends where the cosine between neighboring sentences is lower. @default one standard deviation below the document's mean */
  readonly threshold?: number | undefined;
}

/** Options of one strategy, by its name. */
export type StrategyOptions =
  | RecursiveOptions
  | CharacterOptions
  | TokenOptions
  | MarkdownOptions
  | SemanticMarkdownOptions
  | HtmlOptions
  | JsonOptions
  | LatexOptions
  | SentenceOptions
  | SemanticOptions;

/** The name of a strategy. */
export type ChunkStrategy = StrategyOptions["strategy"];

/** Without a strategy, the type of the document selects one: Markdown, HTML, JSON, LaTeX, or else "recursive". */
export interface DefaultChunkOptions extends SizeOptions, OverlapOptions {
  /** Left out: the type of the document decides. */
  readonly strategy?: undefined;
}

/** How documents are split into chunks: a strategy and its options. */
export type ChunkOptions = DefaultChunkOptions | StrategyOptions;
