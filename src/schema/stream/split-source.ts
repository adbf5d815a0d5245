import type { ChunkSource } from "./source.js";

/** The result of a read after a source has processed it; `undefined` if the source has no chunk to deliver yet. */
export type Passed<T> = IteratorResult<T, undefined> | undefined | Promise<IteratorResult<T, undefined> | undefined>;

/** A reader that is told when its pending read has been stopped. */
export interface SplitReader {
  /** The source was stopped during a read: the read has failed, and its result is to be ignored. */
  stopped(reason: unknown): void;
}

/**
 * A source whose reads have two steps: waiting for the innermost source, and processing its result. Nested sources of this kind
 * take one promise per chunk together, because the outermost reader awaits only the innermost read.
 */
export interface SplitSource<T> extends ChunkSource<T> {
  /**
   * Starts a read. Its result must be passed to `pass`, its error to `recover`. If the source is stopped meanwhile, the read rejects;
   * if a reader was given, the reader is told instead, and the read may stay pending.
   */
  begun(reader?: SplitReader): Promise<IteratorResult<T, undefined>>;
  /** Processes the result of a read. */
  pass(result: IteratorResult<T, undefined>): Passed<T>;
  /** Processes a failed read: resolves to another result, or rejects. */
  recover(error: unknown): Promise<IteratorResult<T, undefined> | undefined>;
}

export function isSplit<T>(source: ChunkSource<T>): source is SplitSource<T> {
  return "recover" in source;
}
