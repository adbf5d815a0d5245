/** Characters that JSON may have to escape: quotes, backslashes, control characters, and everything beyond ASCII. */
const perhapsSpecial = /[^ !#-[\]-~]/;

/** A string as JSON. Checking for special characters first is faster than JSON.stringify. */
export function quoted(text: string): string {
  return text.length > 200 || perhapsSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** More than the nodes of a graph, and a bound on memory for programs that keep building graphs. */
const mostNames = 1_000;

/** Caches text that is written again and again, by node key. */
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
