/** Which headings count, by their depth, and the names of their texts in metadata. */
export type HeaderNames = ReadonlyMap<number, string>;

export interface Heading {
  readonly depth: number;
  readonly title: string;
}

/** The headings around a place. */
export class HeadingPath {
  readonly #headers: HeaderNames;
  readonly #titles = new Map<number, string>();

  constructor(headers: HeaderNames = new Map()) {
    this.#headers = headers;
  }

  enter({ depth, title }: Heading): void {
    for (const other of [...this.#titles.keys()]) if (other >= depth) this.#titles.delete(other);
    if (this.#headers.has(depth)) this.#titles.set(depth, title);
  }

  get metadata(): Record<string, unknown> {
    return Object.fromEntries([...this.#titles].map(([depth, title]) => [this.#headers.get(depth), title]));
  }
}
