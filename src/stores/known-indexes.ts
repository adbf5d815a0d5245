import type { RunIndex } from "../checkpoint/runs/run-index.js";

/**
 * Which row was last written with which index. Saves of a task pass the same object again and again, and need not write it: a
 * version is never used twice, so a row of that version still has it.
 */
export class KnownIndexes {
  readonly #rows = new WeakMap<RunIndex, { readonly id: string; readonly version: number }>();

  /** Whether this version of a row has the index. */
  has(index: RunIndex, id: string, version: number | undefined): boolean {
    const row = this.#rows.get(index);
    return row !== undefined && row.version === version && row.id === id;
  }

  /** Remembers a write. */
  set(index: RunIndex, id: string, version: number): void {
    this.#rows.set(index, { id, version });
  }
}
