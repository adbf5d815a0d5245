import { byCodePoint, checkCheckpointId } from "./checkpoint-id.js";
import type { ClosableStore, StoredCheckpoint } from "./checkpoint-store.js";
import { checkpointConflict, storeClosed } from "./errors.js";

/**
 * Keeps checkpoints in memory, for tests and for runs that need not survive the process. Each store has its own rows.
 */
export function memoryStore(): ClosableStore {
  return new MemoryStore();
}

class MemoryStore implements ClosableStore {
  readonly #rows = new Map<string, StoredCheckpoint>();
  /** One count for all ids, so that nothing has to be kept of those that are deleted. */
  #lastVersion = 0;
  #closed = false;

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const row = this.#rows.get(id);
    return row && { data: row.data.slice(), version: row.version };
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined): Promise<number> {
    this.#check(id);
    const found = this.#rows.get(id)?.version;
    if (found !== ifVersion) throw checkpointConflict(id, ifVersion, found);
    const version = ++this.#lastVersion;
    this.#rows.set(id, { data: new Uint8Array(data), version });
    return version;
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const found = this.#rows.get(id)?.version;
    if (ifVersion !== undefined && found !== ifVersion) throw checkpointConflict(id, ifVersion, found);
    this.#rows.delete(id);
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    if (this.#closed) throw storeClosed("memoryStore");
    yield* [...this.#rows.keys()].filter((id) => id.startsWith(prefix)).sort(byCodePoint);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rows.clear();
  }

  #check(id: string): void {
    if (this.#closed) throw storeClosed("memoryStore");
    checkCheckpointId(id);
  }
}
