const keptMs = 600_000;
const most = 10_000;

/** Does what has a key once: pressing twice sends once. A failure may be tried again. */
export class OnceEach {
  readonly #known = new Map<string, { readonly at: number; readonly result: Promise<unknown> }>();

  do<T>(key: string, work: () => Promise<T>): Promise<T> {
    const now = Date.now();
    for (const [old, { at }] of this.#known) {
      if (now - at < keptMs && this.#known.size < most) break;
      this.#known.delete(old);
    }
    const known = this.#known.get(key);
    if (known !== undefined) return known.result as Promise<T>;
    const result = work();
    this.#known.set(key, { at: now, result });
    result.catch(() => this.#known.delete(key));
    return result;
  }
}
