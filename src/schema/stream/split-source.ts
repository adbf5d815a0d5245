import type { ChunkSource } from "./source.js";

/** What became of a read: `undefined` when there is nothing to give yet. */
export type Passed<T> = IteratorResult<T, undefined> | undefined | Promise<IteratorResult<T, undefined> | undefined>;

/** Who reads a source in two halves. */
export interface SplitReader {
  /** The source was stopped while a read was pending: that read has failed, and what it still comes to does not count. */
  stopped(reason: unknown): void;
}

/**
 * A source that can be read in two halves. However many of them stand around one another, a chunk takes one promise: who reads
 * them awaits the innermost read, and what that came to goes through all of them.
 */
export interface SplitSource<T> extends ChunkSource<T> {
  /**
   * Begins a read: what it comes to must be given to `pass`, or to `recover`. With a reader it may stay pending when the source is
   * stopped, and the reader is told; without one it rejects then.
   */
  begun(reader?: SplitReader): Promise<IteratorResult<T, undefined>>;
  /** What becomes of what was read. */
  pass(result: IteratorResult<T, undefined>): Passed<T>;
  /** What becomes of a failed read: it gives another result, or rejects. */
  recover(error: unknown): Promise<IteratorResult<T, undefined> | undefined>;
}

export function isSplit<T>(source: ChunkSource<T>): source is SplitSource<T> {
  return "recover" in source;
}
