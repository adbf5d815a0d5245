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

  protected override async pull(): Promise<Result<T>> {
    for (;;) {
      let passed: Passed<T> = this.ready();
      if (passed === undefined) {
        try {
          const result = await (this.source ?? this.goOn(this.open())).next();
          passed = this.passed(result);
        } catch (error) {
          passed = this.failed(error);
        }
        if (passed instanceof Promise) passed = await passed;
        if (passed === undefined) continue;
      }
      this.settle();
      return passed;
    }
  }

  /** The result of a read during which the source was cancelled or ended. */
  protected async closed(): Promise<Result<T>> {
    this.checkOpen();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.source?.cancel(reason);
  }
}

/** Reads a source to its end. The next read awaits what `take` returns; if that fails, the source is cancelled. */
export async function readAll<T>(source: ChunkSource<T>, take: (chunk: T) => Promise<void> | undefined): Promise<void> {
  for (;;) {
    const { done, value } = await source.next();
    if (done === true) return;
    try {
      const wait = take(value);
      if (wait !== undefined) await wait;
    } catch (error) {
      source.cancel(error);
      throw error;
    }
  }
}
