import { LineBreaks } from "../line-breaks.js";
import { type TextSpan, trimSpan } from "../span.js";
import {
  closesFence,
  type Fence,
  fenceAt,
  type HtmlBlock,
  headingAt,
  htmlAt,
  isTableDelimiter,
  isThematicBreak,
  listMarkerAt,
  underlineAt,
} from "./block-starts.js";
import { LineCursor } from "./line-cursor.js";

/** A top-level block of a Markdown document, in whole lines. Each list item is a block. */
export interface MarkdownBlock extends TextSpan {
  readonly type: "heading" | "fence" | "table" | "other";
  /** The level of a heading, otherwise 0. */
  readonly depth: number;
  readonly title: string;
  /** The end of the head of a fence (its first line) or a table (its first two lines). */
  readonly headEnd: number;
}

/** Finds the blocks of a document, from an offset on. Never throws, because every text is valid Markdown. */
export function scanBlocks(text: string, from: number): MarkdownBlock[] {
  const scanner = new BlockScanner(text);
  const breaks = new LineBreaks(text);
  for (let start = from; start < text.length; ) {
    const end = breaks.next(start);
    scanner.line(start, end);
    start = breaks.endOf(end);
  }
  return scanner.finish();
}

/** A block quote or a list item. The text of an item begins `offset` columns in. */
interface Container {
  readonly isQuote: boolean;
  readonly offset: number;
  /** Whether the item began with a blank line and has no content yet. */
  isEmpty: boolean;
}

/** Deeper nesting is treated as text, because each line takes time for each container. */
const deepest = 100;

/** The innermost block that can continue on the next line. */
type Leaf =
  | {
      readonly type: "paragraph";
      readonly lastLine: string;
      readonly lineStart: number;
      readonly textStart: number | undefined;
    }
  | { readonly type: "fence"; readonly fence: Fence }
  | { readonly type: "html"; readonly html: HtmlBlock }
  | { readonly type: "code" | "table" };

type OpenBlock = { -readonly [Name in keyof MarkdownBlock]: MarkdownBlock[Name] };
type NewBlock = Pick<OpenBlock, "type" | "start" | "end"> & Partial<OpenBlock>;

/** Parses the block structure of CommonMark, with tables. Only top-level blocks are kept. */
class BlockScanner {
  readonly #text: string;
  readonly #blocks: OpenBlock[] = [];
  /** The top-level block that can continue. */
  #open: OpenBlock | undefined;
  #containers: Container[] = [];
  #leaf: Leaf | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  line(start: number, end: number): void {
    const line = new LineCursor(this.#text, start, end);
    const matched = this.#matchContainers(line);
    if (matched === this.#containers.length && this.#continuesLeaf(line)) {
      this.#extend(end);
      return;
    }
    this.#start(line, matched, start);
  }

  finish(): MarkdownBlock[] {
    return this.#blocks;
  }

  /** How many of the open containers continue on this line. */
  #matchContainers(line: LineCursor): number {
    let matched = 0;
    for (const container of this.#containers) {
      if (container.isQuote) {
        if (line.indent > 3 || line.text[line.nonspace] !== ">" || line.isBlank) break;
        skipQuoteMark(line);
      } else if (line.isBlank) {
        if (container.isEmpty) break;
      } else if (line.indent >= container.offset) {
        line.skipColumns(container.offset);
        container.isEmpty = false;
      } else break;
      matched++;
    }
    return matched;
  }

  /** Fences, HTML and code take a line before it can start another block. */
  #continuesLeaf(line: LineCursor): boolean {
    const leaf = this.#leaf;
    switch (leaf?.type) {
      case "fence":
        if (closesFence(line, leaf.fence)) this.#leaf = undefined;
        return true;
      case "html":
        if (leaf.html.end === undefined) {
          if (!line.isBlank) return true;
          this.#leaf = undefined;
          return false;
        }
        if (leaf.html.end.test(line.text.slice(line.at, line.end))) this.#leaf = undefined;
        return true;
      case "code":
        return line.indent >= 4 && !line.isBlank;
      default:
        return false;
    }
  }

  /** Opens containers, and then the block that starts with the rest of the line. */
  #start(line: LineCursor, matched: number, start: number): void {
    let depth = matched;
    while (depth < deepest && !line.beginsWithLetter) {
      const paragraph = this.#leaf?.type === "paragraph" && depth === this.#containers.length;
      const container = this.#containerAt(line, paragraph);
      if (container === undefined) break;
      this.#closeTo(depth);
      this.#containers.push(container);
      depth++;
      if (depth === 1) this.#begin({ type: "other", start, end: line.end });
    }
    this.#startLeaf(line, depth, start);
  }

  #containerAt(line: LineCursor, inParagraph: boolean): Container | undefined {
    if (line.isBlank || line.indent > 3) return undefined;
    const { rest } = line;
    if (rest.startsWith(">")) {
      skipQuoteMark(line);
      return { isQuote: true, offset: 0, isEmpty: false };
    }
    if (isThematicBreak(rest)) return undefined;
    const marker = listMarkerAt(rest);
    if (marker === undefined) return undefined;
    const isEmpty = rest.slice(marker.length).trim() === "";
    if (inParagraph && (isEmpty || (marker.number ?? 1) !== 1)) return undefined;
    const before = line.indent + marker.length;
    line.skipCharacters(marker.length);
    const blanks = line.indent;
    const padding = isEmpty || blanks > 4 ? 1 : blanks;
    line.skipColumns(isEmpty ? blanks : padding);
    return { isQuote: false, offset: before + padding, isEmpty };
  }

  #startLeaf(line: LineCursor, depth: number, start: number): void {
    const isOpen = depth === this.#containers.length;
    const leaf = this.#leaf;
    if (line.isBlank) {
      if (!isOpen) this.#closeTo(depth);
      // a blank line leaves code open, so that all of it is one block
      if (this.#leaf?.type !== "code") this.#leaf = undefined;
      return;
    }
    const { indent, rest } = line;
    const paragraph = leaf?.type === "paragraph" ? leaf : undefined;
    if (indent <= 3) {
      const isMarked = !line.beginsWithLetter;
      const interrupts = paragraph !== undefined && isOpen;
      if (isMarked && this.#startMarked(line, rest, { depth, start, interrupts })) return;
      if (isMarked && paragraph !== undefined && isOpen) {
        const underline = paragraph.textStart === undefined ? undefined : underlineAt(rest);
        if (underline !== undefined) {
          this.#underline(underline, paragraph.textStart ?? start, line.end);
          return;
        }
        if (isTableDelimiter(rest, paragraph.lastLine)) {
          this.#makeTable(paragraph.lineStart, line.end);
          return;
        }
      }
      if (leaf?.type === "table" && isOpen) {
        this.#extend(line.end);
        return;
      }
    } else if (paragraph === undefined) {
      this.#closeTo(depth);
      this.#leaf = { type: "code" };
      this.#add({ type: "other", start, end: line.end });
      return;
    }
    // text continues a paragraph, even in containers that the line does not mark (a lazy continuation)
    if (paragraph !== undefined) {
      const textStart = paragraph.textStart ?? (isDefinitionLine(rest) ? undefined : start);
      this.#leaf = { type: "paragraph", lastLine: isOpen ? rest : "", lineStart: start, textStart };
      this.#extend(line.end);
      return;
    }
    this.#closeTo(depth);
    const textStart = isDefinitionLine(rest) ? undefined : start;
    this.#leaf = { type: "paragraph", lastLine: rest, lineStart: start, textStart };
    this.#add({ type: "other", start, end: line.end });
  }

  /** Headings, fences, HTML and thematic breaks. */
  #startMarked(
    line: LineCursor,
    rest: string,
    { depth, start, interrupts }: { depth: number; start: number; interrupts: boolean },
  ): boolean {
    const heading = headingAt(rest);
    if (heading !== undefined) {
      this.#closeTo(depth);
      this.#add({ type: "heading", start, end: line.end, ...heading });
      return true;
    }
    const fence = fenceAt(rest);
    if (fence !== undefined) {
      this.#closeTo(depth);
      this.#leaf = { type: "fence", fence };
      this.#add({ type: "fence", start, end: line.end, headEnd: line.end });
      return true;
    }
    const html = htmlAt(rest, this.#leaf?.type === "paragraph");
    if (html !== undefined) {
      this.#closeTo(depth);
      this.#leaf = html.end?.test(rest) ? undefined : { type: "html", html };
      this.#add({ type: "other", start, end: line.end });
      return true;
    }
    const hasText = this.#leaf?.type === "paragraph" && this.#leaf.textStart !== undefined;
    if (!isThematicBreak(rest) || (interrupts && hasText && underlineAt(rest) !== undefined)) return false;
    this.#closeTo(depth);
    this.#add({ type: "other", start, end: line.end });
    return true;
  }

  /** Turns the text of a paragraph into a heading. Link definitions before it are kept as a block. */
  #underline(depth: number, start: number, end: number): void {
    this.#leaf = undefined;
    const paragraph = this.#open;
    if (this.#containers.length > 0 || paragraph === undefined) {
      this.#extend(end);
      return;
    }
    const title = this.#text
      .slice(start, paragraph.end)
      .trim()
      .replace(/\s*(?:\r\n|\r|\n)\s*/g, " ");
    if (paragraph.start === start) this.#blocks.pop();
    else paragraph.end = trimSpan(this.#text, { start: paragraph.start, end: start }).end;
    this.#begin({ type: "heading", depth, title, start, end });
    this.#open = undefined;
  }

  /** Turns the last line of a paragraph into the head of a table. Lines before it stay a paragraph. */
  #makeTable(start: number, end: number): void {
    this.#leaf = { type: "table" };
    const paragraph = this.#open;
    if (this.#containers.length > 0 || paragraph === undefined) {
      this.#extend(end);
      return;
    }
    if (paragraph.start === start) this.#blocks.pop();
    else paragraph.end = trimSpan(this.#text, { start: paragraph.start, end: start }).end;
    this.#begin({ type: "table", start, end, headEnd: end });
  }

  /** Closes the containers below a depth, and the leaf in them. */
  #closeTo(depth: number): void {
    this.#leaf = undefined;
    if (this.#containers.length > depth) this.#containers = this.#containers.slice(0, depth);
    for (const container of this.#containers) container.isEmpty = false;
    if (depth === 0) this.#open = undefined;
  }

  /** Starts a block at the top level, or extends the open one if the block is nested. */
  #add(block: NewBlock): void {
    if (this.#containers.length > 0) this.#extend(block.end);
    else this.#begin(block);
  }

  #begin({ type, start, end, depth = 0, title = "", headEnd = start }: NewBlock): void {
    this.#open = { type, start, end, depth, title, headEnd };
    this.#blocks.push(this.#open);
  }

  #extend(end: number): void {
    if (this.#open !== undefined) this.#open.end = end;
  }
}

function skipQuoteMark(line: LineCursor): void {
  line.skipCharacters(1);
  if (line.indent > 0) line.skipColumns(1);
}

/** A paragraph that consists of link definitions cannot become a heading. */
function isDefinitionLine(rest: string): boolean {
  return /^\[(?:[^\\[\]]|\\.)+\]:[ \t]*\S/.test(rest);
}
