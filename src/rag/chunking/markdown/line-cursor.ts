/** Reads one line of a Markdown document. A tab advances to the next multiple of four columns. */
export class LineCursor {
  readonly text: string;
  /** The index of the next character. */
  at: number;
  /** The end of the line, without its line break. */
  readonly end: number;
  /** The current column. Inside a tab it is past the column of the next character. */
  #column = 0;
  #columnOfNext = 0;

  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.at = start;
    this.end = end;
  }

  /** The index of the next character that is not a space or a tab. */
  get nonspace(): number {
    let place = this.at;
    while (place < this.end && isBlank(this.text.charCodeAt(place))) place++;
    return place;
  }

  get isBlank(): boolean {
    return this.nonspace === this.end;
  }

  /** Whether the rest of the line begins with a letter, which cannot start a special block. */
  get beginsWithLetter(): boolean {
    const place = this.nonspace;
    return place < this.end && isLetter(this.text.charCodeAt(place));
  }

  /** How many columns of whitespace come next. */
  get indent(): number {
    let column = this.#columnOfNext;
    for (let place = this.at; place < this.end; place++) {
      const code = this.text.charCodeAt(place);
      if (!isBlank(code)) break;
      column = after(column, code);
    }
    return column - this.#column;
  }

  /** The rest of the line, without leading whitespace. */
  get rest(): string {
    return this.text.slice(this.nonspace, this.end);
  }

  /** Skips this many columns of whitespace. */
  skipColumns(count: number): void {
    this.#column += count;
    while (this.at < this.end) {
      const code = this.text.charCodeAt(this.at);
      const next = after(this.#columnOfNext, code);
      if (!isBlank(code) || next > this.#column) break;
      this.#columnOfNext = next;
      this.at++;
    }
  }

  /** Skips all whitespace, and then this many characters. */
  skipCharacters(count: number): void {
    this.skipColumns(this.indent);
    this.at += count;
    this.#columnOfNext += count;
    this.#column = this.#columnOfNext;
  }
}

const tab = 9;
const isBlank = (code: number): boolean => code === tab || code === 32;
const isLetter = (code: number): boolean =>
  code > 0x7f || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
const after = (column: number, code: number): number => (code === tab ? column + 4 - (column % 4) : column + 1);
