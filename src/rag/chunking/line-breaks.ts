/** Finds the line breaks of a text, "\n", "\r" and "\r\n", from the front to the back. */
export class LineBreaks {
  readonly #text: string;
  /** The next ones behind the place that was asked for last. */
  #feed = -1;
  #return = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the next line break begins, or else the text ends. Places that are asked for must ascend. */
  next(from: number): number {
    if (this.#feed < from) this.#feed = this.#find("\n", from);
    if (this.#return < from) this.#return = this.#find("\r", from);
    return Math.min(this.#feed, this.#return);
  }

  /** Where the line break ends that begins at a place. */
  endOf(place: number): number {
    return place + (this.#text.startsWith("\r\n", place) ? 2 : 1);
  }

  #find(sign: string, from: number): number {
    const found = this.#text.indexOf(sign, from);
    return found < 0 ? this.#text.length : found;
  }
}

/** Finds each line break. */
export function findLineBreaks(text: string, found: (index: number, length: number) => void): void {
  const breaks = new LineBreaks(text);
  for (let place = breaks.next(0); place < text.length; ) {
    const end = breaks.endOf(place);
    found(place, end - place);
    place = breaks.next(end);
  }
}

/** Finds line breaks with blank lines behind them. "\r\n" is one: its "\r" alone would make a blank line of it. */
export function findBlankLines(text: string, found: (index: number, length: number) => void): void {
  const breaks = new LineBreaks(text);
  for (let place = breaks.next(0); place < text.length; ) {
    const first = breaks.endOf(place);
    let end = first;
    let next = breaks.next(end);
    while (next < text.length && isBlankBetween(text, end, next)) {
      end = breaks.endOf(next);
      next = breaks.next(end);
    }
    if (end > first) found(place, end - place);
    place = next;
  }
}

function isBlankBetween(text: string, from: number, to: number): boolean {
  for (let place = from; place < to; place++) {
    const code = text.charCodeAt(place);
    if (code !== 0x20 && code !== 0x09) return false;
  }
  return true;
}
