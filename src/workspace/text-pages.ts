/** How many characters a tool gives at once. */
export const pageLength = 50_000;

/** The text of a file; `undefined` for one that is binary. */
export function textOfFile(data: Uint8Array): string | undefined {
  if (data.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

/** A part of a text from `offset` on, and how to go on after it. */
export function pageOf(text: string, offset: number): string {
  const start = wholeCharacters(text, Math.min(offset, text.length));
  const end = wholeCharacters(text, Math.min(start + pageLength, text.length));
  const page = text.slice(start, end);
  if (end < text.length)
    return `${page}\n\n[Characters ${start} to ${end} of ${text.length}. Go on with offset: ${end}.]`;
  return start > 0 && page === ""
    ? `[The text has ${text.length} characters: there is nothing after offset ${offset}.]`
    : page;
}

/** The largest length up to `length` that does not cut a character in half. */
export function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return length > 0 && length < text.length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

/** Lines up to the length of a page. */
export class Page {
  readonly #lines: string[] = [];
  #length = 0;

  get count(): number {
    return this.#lines.length;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Whether the line was taken: the first one always is. */
  add(line: string): boolean {
    if (this.#length + line.length + 1 > pageLength && this.#lines.length > 0) return false;
    this.#lines.push(line);
    this.#length += line.length + 1;
    return true;
  }

  text(end?: string): string {
    return [...this.#lines, ...(end === undefined ? [] : ["", `[${end}]`])].join("\n");
  }
}
