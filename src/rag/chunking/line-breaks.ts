/** Finds the line breaks of a text ("\n", "\r" and "\r\n"), scanning forward. */
export class LineBreaks {
  readonly #text: string;
  /** The next "\n" and "\r" after the last position. */
  #feed = -1;
  #return = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the next line break begins, or the end of the text. Positions must be passed in ascending order. */
  next(from: number): number {
    if (this.#feed < from) this.#feed = this.#find("\n", from);
    if (this.#return < from) this.#return = this.#find("\r", from);
    return Math.min(this.#feed, this.#return);
  }

  /** The end of the line break that begins at a position. */
  endOf(place: number): number {
    return place + (this.#text.startsWith("\r\n", place) ? 2 : 1);
  }

  #find(sign: string, from: number): number {
    const found = this.#text.indexOf(sign, from);
    return found < 0 ? this.#text.length : found;
  }
}

export function findLineBreaks(text: string, found: (index: number, length: number) => void): void {
  const breaks = new LineBreaks(text);
  for (let place = breaks.next(0); place < text.length; ) {
    const end = breaks.endOf(place);
    found(place, end - place);
    place = breaks.next(end);
  }
}

/** Finds line breaks followed by blank lines. "\r\n" is a single break: "\r" alone would turn each one into a blank line. */
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
