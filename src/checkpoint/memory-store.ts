import type { ClosableStore, StoredCheckpoint } from "./checkpoint-store.js";
import { checkpointConflict, storeClosed } from "./errors.js";
import { byCodePoint, checkCheckpointId, isListed } from "./journal/checkpoint-id.js";
import { BufferPool, hasRoom } from "./values/buffer-pool.js";

/**
 * Keeps checkpoints in memory, for tests and for runs that need not survive the process. Each store has its own rows.
 */
export function memoryStore(): ClosableStore {
  return new MemoryStore();
}

interface Row {
  /** Never handed out, so that a longer life of the same memory is seen by nobody. */
  bytes: Uint8Array;
  length: number;
  version: number;
}

class MemoryStore implements ClosableStore {
  readonly #rows = new Map<string, Row>();
  readonly #spare = new BufferPool();
  /** One count for all ids, so that nothing has to be kept of those that are deleted. */
  #lastVersion = 0;
  #closed = false;

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const row = this.#rows.get(id);
    return row && { data: row.bytes.slice(0, row.length), version: row.version };
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined): Promise<number> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (row?.version !== ifVersion) throw checkpointConflict(id, ifVersion, row?.version);
    const { length } = data;
    const version = ++this.#lastVersion;
    if (row === undefined) {
      const bytes = this.#spare.take(length);
      bytes.set(data);
      this.#rows.set(id, { bytes, length, version });
      return version;
    }
    if (!hasRoom(row.bytes, length)) {
      this.#spare.give(row.bytes);
      row.bytes = this.#spare.take(length);
    }
    row.bytes.set(data);
    row.length = length;
    row.version = version;
    return version;
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (ifVersion !== undefined && row?.version !== ifVersion) throw checkpointConflict(id, ifVersion, row?.version);
    if (row === undefined) return;
    this.#rows.delete(id);
    this.#spare.give(row.bytes);
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    if (this.#closed) throw storeClosed("memoryStore");
    yield* [...this.#rows.keys()].filter((id) => isListed(id, prefix)).sort(byCodePoint);
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
