/** What a store has under an id. */
export interface StoredCheckpoint {
  /** The bytes that were put. A copy: whoever gets them may change them. */
  readonly data: Uint8Array;
  /** What was appended to them since, in order, as copies. Left out or empty when nothing was. */
  readonly appended?: readonly Uint8Array[] | undefined;
  /** Names this content of this id, appended entries included, and no other that it ever had. */
  readonly version: number;
}

/**
 * Where checkpoints live: rows of bytes under an id, each with a version. Several processes may share one store; the
 * compare-and-swap of `put` is what keeps two of them from going on with the same run. `checkpointStoreConformance` of
 * `kumiko/testing` checks an implementation.
 *
 * - Ids are any texts of up to 512 characters; two ids are the same only when every character is.
 * - A version is never used twice for one id, also after a delete. Versions are integers; what else they say is up to
 *   the store.
 * - Bytes are copied, on the way in before `put` or `append` returns its promise. What is given may be a part of a larger
 *   buffer, as a Buffer of Node.js may: `data.buffer` is not what is to be kept.
 * - What does not fit rejects with a `KumikoError` of code `CHECKPOINT_CONFLICT`, and has changed nothing.
 */
export interface CheckpointStore {
  /**
   * What is stored under an id now; `undefined` (or `null`, as some databases say) when there is nothing. Data, entries and
   * version belong to the same moment, whoever writes meanwhile.
   */
  get(id: string): Promise<StoredCheckpoint | undefined>;
  /**
   * Writes, and gives the new version, an integer. With `ifVersion` it replaces exactly that version, and removes the entries
   * that were appended to it; with `undefined` it creates, and rejects when there is one. When it rejects for another reason it
   * may or may not have been written.
   */
  put(id: string, data: Uint8Array, ifVersion: number | undefined): Promise<number>;
  /**
   * Adds an entry after the data and the entries of exactly this version, and gives the new version, an integer. It should cost
   * what the entry costs, however large the rest is: the library appends what changed at each save. Whatever goes wrong, the
   * entry is there as a whole or not at all. A store that cannot do this leaves the method out, and gets the whole checkpoint
   * in each `put`.
   */
  append?(id: string, data: Uint8Array, ifVersion: number): Promise<number>;
  /**
   * Removes data and entries, at any version or at exactly this one. Without `ifVersion` an unknown id is not an error.
   */
  delete(id: string, ifVersion?: number): Promise<void>;
  /**
   * Every id that starts with `prefix`, character by character: it has no wildcards. Ascending by code point. Ids that begin
   * with `~` belong to the library: they are listed only for a prefix that begins with `~`, so not for the empty one.
   */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Whether the process that claimed a run under this name may still be there. `false` only when it is certainly gone:
   * then others may go on with its runs. A store that cannot know says `true`, or leaves this out.
   */
  isOwnerAlive?(owner: string): Promise<boolean>;
}

/** A store that holds on to something: a file, connections, memory. Once it is closed, every call rejects. */
export interface ClosableStore extends CheckpointStore {
  /** Lets go. Calls that are under way may fail; a second call does nothing. */
  close(): Promise<void>;
}
