import { segmentText } from "./segments.js";

/** Longer rows are read when they become a segment: a copy in memory would cost more than that. */
const longest = 65_536;

/**
 * The content of the row of a run, as text, as long as that is short and certain. Closing the segment then need not read the row,
 * which for a run with a small state is the larger part of the work.
 */
export class HeldSegment {
  #document: string | undefined = undefined;
  #entries = "";

  /** A whole document was written. */
  begin(document: string): void {
    this.#document = document.length > longest ? undefined : document;
    this.#entries = "";
  }

  /** An entry was appended. */
  add(entry: string): void {
    if (this.#document === undefined) return;
    this.#entries += this.#entries === "" ? entry : `,${entry}`;
    if (this.#entries.length > longest) this.forget();
  }

  /** It is not certain any more what the row holds. */
  forget(): void {
    this.#document = undefined;
    this.#entries = "";
  }

  /** The segment that these make. */
  get text(): string | undefined {
    return this.#document === undefined ? undefined : segmentText(this.#document, this.#entries);
  }
}
