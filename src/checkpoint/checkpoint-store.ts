import type { RunIndex, RunQuery, RunRow } from "./runs/run-index.js";

/** The content of a store under an id. */
export interface StoredCheckpoint {
  /** The bytes of the last `put`: a copy, which the caller may change. */
  readonly data: Uint8Array;
  /** The entries appended since, in order, as copies. Left out or empty when there are none. */
  readonly appended?: readonly Uint8Array[] | undefined;
  /** Identifies this content, appended entries included. An id never has the same version with other content. */
  readonly version: number;
}

/**
 * Where checkpoints live: rows of bytes under an id, each with a version. Several processes may share one store; the
 * compare-and-swap of `put` is what keeps two of them from continuing the same run. `checkpointStoreConformance` of
 * `kumiko/testing` checks an implementation.
 *
 * - An id is any string of up to 512 characters. Two ids are equal only when every character is.
 * - A version is never used twice for one id, not even after a delete. Versions are integers; the store decides what else
 *   they mean.
 * - Bytes are copied. On the way in they are copied before `put` or `append` returns its promise. The data may be a view of
 *   a larger buffer, as a `Buffer` of Node.js may be, so never keep `data.buffer`.
 * - When the version does not match, a call rejects with a `KumikoError` of code `CHECKPOINT_CONFLICT` and changes nothing.
 */
export interface CheckpointStore {
  /**
   * Returns what is stored under an id; `undefined` (or `null`, as some databases return) when there is nothing. Data, entries
   * and version are read at the same moment, also while others write.
   */
  get(id: string): Promise<StoredCheckpoint | undefined>;
  /**
   * Writes, and returns the new version, an integer. With `ifVersion` it replaces exactly that version and removes the entries
   * appended to it; with `undefined` it creates the row, and rejects when there is one. When it rejects for another reason
   * than a conflict, the data may or may not have been written.
   *
   * `index`: what the row is found by in {@link runs}, written in the same step. A row that is put without one is in no list.
   */
  put(id: string, data: Uint8Array, ifVersion: number | undefined, index?: RunIndex): Promise<number>;
  /**
   * Adds an entry after the data and entries of exactly this version, and returns the new version, an integer. The cost should
   * depend on the size of the entry only, not on the rest: each save appends what changed. An entry is written as a whole or
   * not at all. A store that cannot do this leaves the method out, and gets the whole checkpoint in each `put`. Without `index`,
   * that of the row stays.
   */
  append?(id: string, data: Uint8Array, ifVersion: number, index?: RunIndex): Promise<number>;
  /**
   * Removes data and entries, at any version or at exactly this one. Without `ifVersion` an unknown id is not an error.
   */
  delete(id: string, ifVersion?: number): Promise<void>;
  /**
   * Every id that starts with `prefix`, compared literally (no wildcards), in ascending order of code points. Ids that begin
   * with `~` are reserved for the library: they are listed only for a prefix that begins with `~`, so not for the empty one.
   */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Whether the process of this name, which claimed a run, may still be alive. Return `false` only when it is certainly gone:
   * then others may continue its runs. A store that cannot know returns `true`, or leaves the method out.
   */
  isOwnerAlive?(owner: string): Promise<boolean>;
  /**
   * The runs that match a query: rows put with an index, in ascending order of `since`, then of id. A store that cannot search
   * leaves the method out; then every id and document is read.
   */
  runs?(query: RunQuery): Promise<RunRow[]>;
  /**
   * Calls the listener after changes of rows with an index, whichever process made them, and returns a function that ends it.
   * Calls may be lost, doubled or late. Without a row it means: look at everything.
   */
  changes?(listener: (row?: RunRow) => void): () => void;
}

/** A store that holds a resource: a file, connections, memory. Once it is closed, every call rejects. */
export interface ClosableStore extends CheckpointStore {
  /** Releases the resource. Calls that are under way may fail; a second call does nothing. */
  close(): Promise<void>;
}
