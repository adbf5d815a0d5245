import type { RunIndex, RunRow } from "./run-index.js";

/** Called after a change of a run; without a row: look at everything. */
export type RunListener = (row?: RunRow) => void;

/** The listeners of `changes` of a store. */
export class RunListeners {
  readonly #listeners = new Set<{ readonly listener: RunListener }>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns a function that ends it. A function that is added twice is called twice. */
  add(listener: RunListener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Calls each in a task of its own, so that neither a write nor another listener fails if one throws. */
  call(row?: RunRow): void {
    for (const entry of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(entry)) entry.listener(row);
      });
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Whether a write is reported to listeners: it changes the status, to one with which something is to be done. */
export function isNews(former: string | undefined, index: RunIndex): boolean {
  return index.status !== former && index.status !== "running";
}
