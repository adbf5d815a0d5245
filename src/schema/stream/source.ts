/** What may be given where a stream is wanted. A chunk may be a part of its value: records may lack keys, arrays may have holes. */
export type StreamSource<T> = AsyncIterable<T> | ReadableStream<T>;

/** The protocol between the stream operators: an async iterator whose end is final and whose cancellation never waits. */
export interface ChunkSource<out T> {
  /** The next chunk. After the end or an error: done, again and again. */
  next(): Promise<IteratorResult<T, undefined>>;
  /**
   * Stops the producer, also when nothing was read yet. Called once at most, perhaps after the end; does not wait and never
   * throws.
   */
  cancel(reason?: unknown): void;
  /** What a loop reads, where that need not be the reader: it saves a call per chunk. Left early, it cancels the source. */
  loop?(reader: AsyncIterator<unknown, undefined>): AsyncIterator<T, undefined>;
  /** What a cancellation still has to see to, such as saving a run; whoever cancels a reader may await it. */
  readonly settling?: Promise<void> | undefined;
}

/** A source whose chunks may be there at once: our own drains then need no promise for them. */
export interface ReadySource<out T> extends ChunkSource<T> {
  /** Like `next()`, without the promise when none is needed; never throws. Not to be called while a read is pending. */
  read(): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>>;
}

/** The next chunk of any source, at once if the source can. */
export function readChunk<T>(
  source: ChunkSource<T>,
): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>> {
  return isReady(source) ? source.read() : source.next();
}

/** The answer of a stream that has ended. */
export function ended(): Promise<IteratorResult<never, undefined>> {
  return Promise.resolve({ done: true, value: undefined });
}

function isReady<T>(source: ChunkSource<T>): source is ReadySource<T> {
  return "read" in source;
}
