import { SerialSource } from "./serial-source.js";
import type { ChunkSource } from "./source.js";

/** A producer's own input, which is cancelled together with the producer. */
export interface Upstream {
  cancel(reason?: unknown): unknown;
}

/**
 * A source over an async iterable, which is opened at the first read.
 *
 * `upstream` is cancelled with it: a generator that never started runs no `finally`, so it cannot close what it reads.
 */
export function iterableSource<T>(iterable: AsyncIterable<T>, upstream?: Upstream): ChunkSource<T> {
  return isGenerator(iterable) ? new GeneratorSource(iterable, upstream) : new LazySource(iterable, upstream);
}

/** The object whose `next()` reads a source: for a generator the generator itself, which saves a call per chunk. */
export function pullTarget<T>(source: ChunkSource<T>): Pick<ChunkSource<T>, "next"> {
  return source instanceof GeneratorSource ? source.generator : source;
}

/** The built-in `next` of async generators. */
export const generatorNext: ChunkSource<unknown>["next"] = Object.getPrototypeOf(async function* () {}).prototype.next;

/** A source over a generator. Its promises are passed on as they are, because generators queue reads and their end is final. */
export class GeneratorSource<T> implements ChunkSource<T> {
  readonly generator: AsyncIterator<T, undefined>;
  private readonly upstream: Upstream | undefined;

  constructor(generator: AsyncIterator<T, undefined>, upstream: Upstream | undefined) {
    this.generator = generator;
    this.upstream = upstream;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.generator.next();
  }

  cancel(reason?: unknown): void {
    stopIterator(this.generator);
    this.upstream?.cancel(reason);
  }
}

class LazySource<T> implements ChunkSource<T> {
  private readonly iterable: AsyncIterable<T>;
  private readonly upstream: Upstream | undefined;
  private source: ChunkSource<T> | undefined;

  constructor(iterable: AsyncIterable<T>, upstream: Upstream | undefined) {
    this.iterable = iterable;
    this.upstream = upstream;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.source ??= this.open();
    return this.source.next();
  }

  cancel(reason?: unknown): void {
    const { source } = this;
    (source ?? this.open()).cancel(reason);
    if (source === undefined) destroyUnread(this.iterable);
  }

  private open(): ChunkSource<T> {
    try {
      const iterator: AsyncIterator<T, undefined> = this.iterable[Symbol.asyncIterator]();
      return isGenerator(iterator)
        ? new GeneratorSource(iterator, this.upstream)
        : new IteratorSource(iterator, this.upstream);
    } catch (error) {
      return new IteratorSource<T>({ next: () => Promise.reject(error) }, this.upstream);
    }
  }
}

/** A source over any other iterator, which may not support overlapping reads, or reads after its end. */
class IteratorSource<T> extends SerialSource<T> {
  private readonly iterator: AsyncIterator<T, undefined>;
  private readonly upstream: Upstream | undefined;

  constructor(iterator: AsyncIterator<T, undefined>, upstream: Upstream | undefined) {
    super();
    this.iterator = iterator;
    this.upstream = upstream;
  }

  protected override async pull(): Promise<IteratorResult<T, undefined>> {
    try {
      const result = await this.iterator.next();
      this.checkOpen();
      if (result.done) this.finish();
      else this.settle();
      return result;
    } catch (error) {
      this.finish();
      throw error;
    }
  }

  protected override stop(reason: unknown): void {
    stopIterator(this.iterator);
    this.upstream?.cancel(reason);
  }
}

function isGenerator<T>(value: AsyncIterable<T> | AsyncIterator<T>): value is AsyncGenerator<T, undefined> {
  return Symbol.toStringTag in value && value[Symbol.toStringTag] === "AsyncGenerator";
}

/** Not awaited, because `return()` of a generator waits for the pending `await` in the generator. */
function stopIterator(iterator: AsyncIterator<unknown>): void {
  try {
    Promise.resolve(iterator.return?.()).then(undefined, ignore);
  } catch {
    // the reader has left, so the error of a producer that fails to stop has no receiver
  }
}

/** Destroys a Node.js stream, which its iterator closes only after it has started. */
function destroyUnread(iterable: object): void {
  if ("destroy" in iterable && typeof iterable.destroy === "function") iterable.destroy();
}

function ignore(): void {}
