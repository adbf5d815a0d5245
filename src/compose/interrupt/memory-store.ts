import { byCodePoint, checkCheckpointId } from "./checkpoint-id.js";
import type { ClosableStore, StoredCheckpoint } from "./checkpoint-store.js";
import { checkpointConflict, storeClosed } from "./errors.js";

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
    const version = ++this.#lastVersion;
    if (row === undefined) {
      this.#rows.set(id, { bytes: new Uint8Array(data), length: data.length, version });
      return version;
    }
    // a run that is saved at every step writes much the same again: it gets no new memory for that
    if (fits(data.length, row.bytes.length)) row.bytes.set(data);
    else row.bytes = new Uint8Array(data);
    row.length = data.length;
    row.version = version;
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

/** Whether a row can stay where it is, and does not hold on to much more than it needs. */
function fits(needed: number, there: number): boolean {
  return needed <= there && there <= 2 * needed;
}
