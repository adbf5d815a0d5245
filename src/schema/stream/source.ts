/** A stream as an argument: an async iterable or a web stream. Chunks may be partial values: records may lack keys, arrays may have holes. */
export type StreamSource<T> = AsyncIterable<T> | ReadableStream<T>;

/** The internal protocol of streams: an async iterator whose end is final and whose cancellation never waits. @internal */
export interface ChunkSource<out T> {
  /** Reads the next chunk. After the end or an error, every read is done. */
  next(): Promise<IteratorResult<T, undefined>>;
  /**
   * Stops the producer, also when nothing was read yet. Called at most once, perhaps after the end. Does not wait and never throws.
   */
  cancel(reason?: unknown): void;
  /** An iterator for a `for await` loop in place of the reader, which saves a call per chunk. Leaving it early cancels the source. */
  loop?(reader: AsyncIterator<unknown, undefined>): AsyncIterator<T, undefined>;
  /** Work that a cancellation still has to finish, such as saving a run. The promise of `cancel` of a reader waits for it. */
  readonly settling?: Promise<void> | undefined;
}

/** A source whose chunks may be available synchronously, so that internal reads need no promise. */
export interface ReadySource<out T> extends ChunkSource<T> {
  /** Like `next()`, but without a promise if none is needed. Never throws. Not to be called while a read is pending. */
  read(): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>>;
}

/** Reads the next chunk of any source, synchronously if the source can. */
export function readChunk<T>(
  source: ChunkSource<T>,
): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>> {
  return isReady(source) ? source.read() : source.next();
}

/** The result of reading a stream that has ended. */
export function ended(): Promise<IteratorResult<never, undefined>> {
  return Promise.resolve({ done: true, value: undefined });
}

function isReady<T>(source: ChunkSource<T>): source is ReadySource<T> {
  return "read" in source;
}
