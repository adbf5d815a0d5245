import type { TextSpan } from "../span.js";
import { type AlignedRun, alignText } from "./align-text.js";
import type { HtmlElement, HtmlPage, HtmlText } from "./read-html.js";

/** A range of the visible text, and the range of the source that it comes from. */
interface Run {
  readonly textStart: number;
  readonly textEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The visible text of a page, one line per block, with a mapping back to the source. */
export class VisibleText {
  readonly text: string;
  /** One line per block, or several where other blocks interrupt it. */
  readonly lines: readonly VisibleLine[];
  readonly #runs: readonly Run[];

  constructor(page: HtmlPage) {
    const writer = new TextWriter(page);
    for (const text of page.texts) writer.add(text);
    const { text, lines, runs } = writer.finish();
    this.text = text;
    this.lines = lines;
    this.#runs = runs;
  }

  /** The source range of a range of the text. */
  sourceOf({ start, end }: TextSpan): TextSpan {
    const first = this.#runs[this.#runAt(start)];
    const last = this.#runs[this.#runAt(end - 1)];
    return { start: first ? placeIn(first, start) : 0, end: last ? placeIn(last, end) : 0 };
  }

  /** The run that contains a position, or the last one before it. */
  #runAt(place: number): number {
    let [low, high] = [0, this.#runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#runs[middle]?.textStart ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Inside a run that is longer or shorter than its source, such as a character reference, positions are interpolated. */
function placeIn({ textStart, textEnd, start, end }: Run, place: number): number {
  const offset = Math.min(place, textEnd) - textStart;
  if (textEnd - textStart === end - start) return start + offset;
  return start + Math.floor((offset * (end - start)) / (textEnd - textStart));
}

export interface VisibleLine extends TextSpan {
  /** The parent element of the first text of the line. */
  readonly element: HtmlElement;
}

class TextWriter {
  readonly #page: HtmlPage;
  readonly #parts: string[] = [];
  #length = 0;
  readonly #lines: (VisibleLine & { end: number })[] = [];
  readonly #runs: Run[] = [];
  #last: HtmlText | undefined;
  /** Whether a space is due before the next text in the line. */
  #blank = false;
  #nextBreak = 0;

  constructor(page: HtmlPage) {
    this.#page = page;
  }

  finish(): { text: string; lines: readonly VisibleLine[]; runs: readonly Run[] } {
    return { text: this.#parts.join(""), lines: this.#lines, runs: this.#runs };
  }

  add(text: HtmlText): void {
    const { isVerbatim, cell } = text.parent;
    if (!isVerbatim && text.value.trim() === "") {
      this.#blank = true;
      return;
    }
    if (this.#last === undefined || this.#isNewLine(this.#last, text)) this.#beginLine(text.parent);
    else if (cell !== this.#last.parent.cell) this.#blank = true;
    this.#last = text;
    for (const run of alignText(this.#page.source, text, this.#page.decode)) {
      if (isVerbatim) this.#write(run.value, run);
      else this.#writeWords(run);
    }
  }

  #isNewLine(last: HtmlText, text: HtmlText): boolean {
    const { breaks } = this.#page;
    const nextBreak = (): number => breaks[this.#nextBreak] ?? Number.POSITIVE_INFINITY;
    while (nextBreak() < last.end) this.#nextBreak++;
    return nextBreak() < text.start || last.parent.block !== text.parent.block;
  }

  #beginLine(element: HtmlElement): void {
    this.#blank = false;
    if (this.#length > 0) this.#append("\n");
    this.#lines.push({ start: this.#length, end: this.#length, element });
  }

  #writeWords({ value, start, end }: AlignedRun): void {
    const isSame = value.length === end - start;
    for (const { index, 0: part } of value.matchAll(isSame ? phrases : words)) {
      if (part.charCodeAt(0) <= 0x20 && part.trim() === "") {
        this.#blank = true;
        continue;
      }
      if (!isSame) this.#write(part, { start, end });
      else this.#write(withBlanks(part), { start: start + index, end: start + index + part.length });
    }
  }

  #write(value: string, { start, end }: TextSpan): void {
    const line = this.#lines.at(-1);
    if (this.#blank && line !== undefined && line.end > line.start) this.#append(" ");
    this.#blank = false;
    this.#runs.push({ textStart: this.#length, textEnd: this.#length + value.length, start, end });
    this.#append(value);
    if (line !== undefined) line.end = this.#length;
  }

  #append(value: string): void {
    this.#parts.push(value);
    this.#length += value.length;
  }
}

const withBlanks = (part: string): string => (otherBlank.test(part) ? part.replaceAll(/[\t\n\r\f]/g, " ") : part);
const otherBlank = /[\t\n\r\f]/;

const words = /[ \t\n\r\f]+|[^ \t\n\r\f]+/g;
/** Words separated by single spaces are written unchanged, so they form one run. */
const phrases = /[^ \t\n\r\f]+(?:[ \t\n\r\f][^ \t\n\r\f]+)*|[ \t\n\r\f]+/g;
