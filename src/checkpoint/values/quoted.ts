/** What JSON may have to write in another way: quotes, backslashes, control characters, and what is not ASCII. */
const perhapsSpecial = /[^ !#-[\]-~]/;

/** A text as JSON. Asking whether there is anything to replace costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return text.length > 200 || perhapsSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Graphs have fewer nodes than that; whoever makes graphs without end shall not fill the memory. */
const mostNames = 1_000;

/** What is written again and again, by the keys of nodes. */
export class TextCache<T> {
  readonly #texts = new Map<string, T>();

  get(name: string): T | undefined {
    return this.#texts.get(name);
  }

  set(name: string, text: T): void {
    if (this.#texts.size >= mostNames) this.#texts.clear();
    this.#texts.set(name, text);
  }
}
