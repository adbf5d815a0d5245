import type { ClosableStore, StoredCheckpoint } from "./checkpoint-store.js";
import { checkpointConflict, storeClosed } from "./errors.js";
import { byCodePoint, checkCheckpointId, isListed } from "./journal/checkpoint-id.js";
import type { RunIndex, RunQuery, RunRow } from "./runs/run-index.js";
import { isNews, type RunListener, RunListeners } from "./runs/run-listeners.js";
import { BufferPool, hasRoom } from "./values/buffer-pool.js";

/**
 * Keeps checkpoints in memory, for tests and for runs that need not survive the process. Each store has its own rows.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.trim()).compile({ store: memoryStore() });
 * console.log(await app.invoke(" tea ", { checkpointId: "order-7" }));
 */
export function memoryStore(): ClosableStore {
  return new MemoryStore();
}

interface Row {
  /** Never handed out, so that the memory can be reused safely. */
  bytes: Uint8Array;
  length: number;
  version: number;
  /** The entries appended since the last put. */
  entries: Entries | undefined;
  index: RunIndex | undefined;
}

class MemoryStore implements ClosableStore {
  readonly #rows = new Map<string, Row>();
  readonly #spare = new BufferPool();
  readonly #listeners = new RunListeners();
  /** One counter for all ids, so that deleted ids need not be remembered. */
  #lastVersion = 0;
  #closed = false;

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const { bytes, length, version, entries } = row;
    const data = bytes.slice(0, length);
    const hasEntries = entries !== undefined && !entries.isEmpty;
    return hasEntries ? { data, appended: entries.copies(), version } : { data, version };
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined, index?: RunIndex): Promise<number> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (row?.version !== ifVersion) throw checkpointConflict(id, ifVersion, row?.version);
    const { length } = data;
    const version = ++this.#lastVersion;
    if (row === undefined) {
      const bytes = this.#spare.take(length);
      bytes.set(data);
      const created: Row = { bytes, length, version, entries: undefined, index: undefined };
      this.#rows.set(id, created);
      this.#setIndex(id, created, index);
      return version;
    }
    if (!hasRoom(row.bytes, length)) {
      this.#spare.give(row.bytes);
      row.bytes = this.#spare.take(length);
    }
    row.bytes.set(data);
    row.length = length;
    row.version = version;
    row.entries?.restart();
    if (index !== row.index) this.#setIndex(id, row, index);
    return version;
  }

  async append(id: string, data: Uint8Array, ifVersion: number, index?: RunIndex): Promise<number> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (row === undefined || row.version !== ifVersion) throw checkpointConflict(id, ifVersion, row?.version);
    row.entries ??= new Entries(this.#spare);
    row.entries.add(data);
    row.version = ++this.#lastVersion;
    if (index !== undefined && index !== row.index) this.#setIndex(id, row, index);
    return row.version;
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const row = this.#rows.get(id);
    if (ifVersion !== undefined && row?.version !== ifVersion) throw checkpointConflict(id, ifVersion, row?.version);
    if (row === undefined) return;
    this.#rows.delete(id);
    this.#spare.give(row.bytes);
    row.entries?.release();
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    this.#checkOpen();
    yield* [...this.#rows.keys()].filter((id) => isListed(id, prefix)).sort(byCodePoint);
  }

  async runs(query: RunQuery): Promise<RunRow[]> {
    this.#checkOpen();
    const { findRuns } = await import("./runs/run-query.js");
    return findRuns(this.#runs(), query);
  }

  changes(listener: RunListener): () => void {
    this.#checkOpen();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rows.clear();
    this.#listeners.clear();
  }

  *#runs(): Generator<[id: string, index: RunIndex]> {
    for (const [id, { index }] of this.#rows) if (index !== undefined) yield [id, index];
  }

  #setIndex(id: string, row: Row, index: RunIndex | undefined): void {
    const isToldOf = index !== undefined && isNews(row.index?.status, index);
    row.index = index;
    if (isToldOf) this.#listeners.call({ id, ...index });
  }

  #check(id: string): void {
    this.#checkOpen();
    checkCheckpointId(id);
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed("memoryStore");
  }
}

/** Appended entries, stored one after another in a buffer that doubles when it is full. */
class Entries {
  readonly #spare: BufferPool;
  /** Where each entry ends. */
  readonly #ends: number[] = [];
  #bytes: Uint8Array = nothing;
  #length = 0;

  constructor(spare: BufferPool) {
    this.#spare = spare;
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0;
  }

  add(data: Uint8Array): void {
    const end = this.#length + data.length;
    // often there is only one entry: extra room is reserved from the second on
    if (end > this.#bytes.length) this.#grow(this.#length === 0 ? end : Math.max(leastRoom, 2 * end));
    this.#bytes.set(data, this.#length);
    this.#length = end;
    this.#ends.push(end);
  }

  copies(): Uint8Array[] {
    const copy = this.#bytes.slice(0, this.#length);
    if (this.#ends.length === 1) return [copy];
    let start = 0;
    return this.#ends.map((end) => {
      const entry = copy.subarray(start, end);
      start = end;
      return entry;
    });
  }

  /** Removes all entries. As many are likely to follow, so memory of the usual size is kept for them. */
  restart(): void {
    this.#ends.length = 0;
    this.#length = 0;
    if (this.#bytes.length > mostKept) this.release();
  }

  /** Gives its memory back. */
  release(): void {
    if (this.#bytes !== nothing) this.#spare.give(this.#bytes);
    this.#bytes = nothing;
  }

  #grow(room: number): void {
    const bytes = this.#spare.take(room);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.release();
    this.#bytes = bytes;
  }
}

const nothing = new Uint8Array();
/** The room for a second entry and what follows it. */
const leastRoom = 512;
const mostKept = 8_192;
