import type { AnyEmbedder } from "../embedding/any-embedder.js";
import type { ExtractOptions } from "../extraction/extract-options.js";
import type { TokenizerOptions } from "./tokenizer.js";

/** How a text is split: `length` says what `size` counts. */
export interface SizeOptions extends TokenizerOptions {
  /** The most that a chunk may have. @default 4,000 characters; for the strategy "token" 512 tokens */
  readonly size?: number | undefined;
  /** Another name of `size`. */
  readonly maxSize?: number | undefined;
  /** What `size` counts: UTF-16 units, tokens, or what a function says. @default "characters" */
  readonly length?: "characters" | "tokens" | ((text: string) => number) | undefined;
  /** Whether chunks begin and end without whitespace. @default true */
  readonly stripWhitespace?: boolean | undefined;
  /** What a model is to find out about each chunk, for its metadata. */
  readonly extract?: ExtractOptions | undefined;
}

/** Options about the overlap of chunks. */
export interface OverlapOptions {
  /** How much a chunk repeats of the one before it, at most; it begins with a word. @default 0 */
  readonly overlap?: number | undefined;
}

/** Options about the separators between chunks. */
export interface SeparatorOptions {
  /** Whether separators are patterns of regular expressions. @default false */
  readonly isSeparatorRegex?: boolean | undefined;
  /** On which side of a cut the separator stays. @default neither: it is left out there */
  readonly keepSeparator?: "start" | "end" | undefined;
  /** Another name of `keepSeparator`. */
  readonly separatorPosition?: "start" | "end" | undefined;
}

/** Paragraphs, where those are too large lines, then sentences, words and characters. For texts of all kinds. */
export interface RecursiveOptions extends SizeOptions, OverlapOptions, SeparatorOptions {
  readonly strategy: "recursive";
  /** From the coarsest to the finest. @default blank lines, lines, sentences, spaces */
  readonly separators?: readonly (string | RegExp)[] | undefined;
  readonly separator?: string | RegExp | undefined;
}

/** One separator only. */
export interface CharacterOptions extends SizeOptions, OverlapOptions, SeparatorOptions {
  readonly strategy: "character";
  /** @default a blank line, "\n\n" */
  readonly separator?: string | RegExp | undefined;
}

/** As many tokens as fit, wherever that is. */
export interface TokenOptions extends Omit<SizeOptions, "length">, OverlapOptions {
  readonly strategy: "token";
}

/** A chunk for each section of a Markdown document; sections that are too large are split between their blocks. */
export interface MarkdownOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "markdown";
  /** Which headings begin a section, and the names under which metadata has them: `[["#", "title"], ["##", "section"]]`. @default all */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** Whether those headings are left out of the text. @default false */
  readonly stripHeaders?: boolean | undefined;
  /** Whether each line is a chunk. @default false */
  readonly returnEachLine?: boolean | undefined;
}

/** Like "markdown", but sections that fit together stay together, the deepest ones first. */
export interface SemanticMarkdownOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "semantic-markdown";
  /** The names under which metadata has the headings around the beginning of a chunk. */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

/** The visible text of a page, by sections, headings or block elements. */
export interface HtmlOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "html";
  /** Elements that begin a part, from the highest, and the names under which metadata has their text: `[["h1", "title"]]`. */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** Elements that are a part, and the names under which metadata has their first heading: `[["div.content", "main"]]`. */
  readonly sections?: readonly (readonly [string, string])[] | undefined;
  /** Whether each line is a chunk. @default false */
  readonly returnEachLine?: boolean | undefined;
}

/** Valid JSON, each chunk with the objects around it: merged, the chunks are the whole value again. */
export interface JsonOptions extends SizeOptions {
  readonly strategy: "json";
  /** Smaller chunks are joined with a neighbour where that fits. @default 0 */
  readonly minSize?: number | undefined;
  /** Whether all characters but ASCII are escaped. @default false */
  readonly ensureAscii?: boolean | undefined;
  /** Whether lists become objects with their indexes as keys, so that they can be split. @default false */
  readonly convertLists?: boolean | undefined;
}

/** The preamble of a LaTeX document, and a chunk for each section; environments are kept whole where they fit. */
export interface LatexOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "latex";
  /** Which headings begin a section, and the names under which metadata has them: `[["section", "title"]]`. @default all */
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

/** As many whole sentences as fit. */
export interface SentenceOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "sentence";
}

/** A chunk ends where the meaning of the next sentence differs most. */
export interface SemanticOptions extends SizeOptions, OverlapOptions {
  readonly strategy: "semantic";
  /** What shows the meaning of a sentence. */
  readonly embedder: AnyEmbedder;
  /** The cosine between sentences below which a chunk ends. @default one standard deviation below the mean of the document */
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

/** The names of the ways to split a document. */
export type ChunkStrategy = StrategyOptions["strategy"];

/** Without a strategy the type of the document decides: Markdown, HTML, JSON, LaTeX, and "recursive" for all others. */
export interface DefaultChunkOptions extends SizeOptions, OverlapOptions {
  readonly strategy?: undefined;
}

/** How documents are split into chunks: a strategy and its options. */
export type ChunkOptions = DefaultChunkOptions | StrategyOptions;
