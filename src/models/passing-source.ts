import { SerialSource } from "../schema/stream/serial-source.js";
import type { ChunkSource } from "../schema/stream/source.js";

type Result<T> = IteratorResult<T, undefined>;

/** A handled read; `undefined` if there is no chunk to deliver yet. */
export type Passed<T> = Result<T> | undefined | Promise<Result<T> | undefined>;

/** A source that passes on the chunks of another one. It may inspect them, hold them back, or switch to another source. */
export abstract class PassingSource<T> extends SerialSource<T> {
  /** The current source; opened on the first read. */
  private source: ChunkSource<T> | undefined = undefined;

  protected abstract open(): ChunkSource<T>;
  /** Handles the result of a read. It must reject rather than throw, as a thrown error would count as a failed read. */
  protected abstract passed(result: Result<T>): Passed<T>;
  /** Handles a failed read: returns another result, or rejects. */
  protected abstract failed(error: unknown): Promise<Result<T> | undefined>;
  /** Returns a result that is there already, so that nothing is read. */
  protected ready(): Result<T> | undefined {
    return undefined;
  }

  /** Reads another source from now on. */
  protected goOn(source: ChunkSource<T>): ChunkSource<T> {
    this.source = source;
    return source;
  }

  // a chain of promises costs half of what an async function does, and this runs for every piece of an answer
  protected override pull(): Promise<Result<T>> {
    const ready = this.ready();
    if (ready !== undefined) return Promise.resolve(this.#onPassed(ready));
    try {
      return this.#current.next().then(this.#onRead, this.#onError);
    } catch (error) {
      return this.#onError(error);
    }
  }

  /** Reads this source to its end like {@link readAll}, without a promise of its own for each chunk. */
  async readTo(take: Take<T>): Promise<void> {
    for (;;) {
      let read: Result<T> | Promise<Result<T>> | undefined = this.ready();
      try {
        read ??= this.#onRead(await this.#current.next());
      } catch (error) {
        read = this.#onError(error);
      }
      const { done, value } = await read;
      if (done === true) return;
      const wait = take(value);
      if (wait !== undefined) await wait;
    }
  }

  get #current(): ChunkSource<T> {
    return this.source ?? this.goOn(this.open());
  }

  readonly #onRead = (result: Result<T>): Result<T> | Promise<Result<T>> => {
    const passed = this.passed(result);
    return passed instanceof Promise ? passed.then(this.#onPassed) : this.#onPassed(passed);
  };

  readonly #onError = (error: unknown): Promise<Result<T>> => this.failed(error).then(this.#onPassed);

  /** Reads on where there is no chunk to deliver yet. */
  readonly #onPassed = (passed: Result<T> | undefined): Result<T> | Promise<Result<T>> => {
    if (passed === undefined) return this.pull();
    this.settle();
    return passed;
  };

  /** The result of a read during which the source was cancelled or ended. */
  protected async closed(): Promise<Result<T>> {
    this.checkOpen();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.source?.cancel(reason);
  }
}

/** May return a promise, which the next read awaits. */
type Take<T> = (chunk: T) => Promise<void> | undefined;

/** Reads a source to its end. If `take` fails, the source is cancelled. */
export async function readAll<T>(source: ChunkSource<T>, take: Take<T>): Promise<void> {
  try {
    if (source instanceof PassingSource) return await source.readTo(take);
    for (;;) {
      const { done, value } = await source.next();
      if (done === true) return;
      await take(value);
    }
  } catch (error) {
    source.cancel(error);
    throw error;
  }
}
