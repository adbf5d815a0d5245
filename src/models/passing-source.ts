import { SerialSource } from "../schema/stream/serial-source.js";
import type { ChunkSource } from "../schema/stream/source.js";

type Result<T> = IteratorResult<T, undefined>;

/** The outcome of a read; `undefined` if there is nothing to return yet. */
export type Passed<T> = Result<T> | undefined | Promise<Result<T> | undefined>;

/**
 * A source that passes on the chunks of another one. It may inspect them, hold them back, or switch to another source. Nested
 * sources cost one promise per chunk in total: the reader awaits the innermost read and passes its result through all layers.
 */
export abstract class PassingSource<T> extends SerialSource<T> {
  /** The current source; opened on the first read. */
  protected source: ChunkSource<T> | undefined = undefined;

  protected abstract open(): ChunkSource<T>;
  /** Handles the result of a read. It must reject rather than throw, as a thrown error would count as a failed read. */
  protected abstract passed(result: Result<T>): Passed<T>;
  /** Handles a failed read: returns another result, or rejects. */
  protected abstract failed(error: unknown): Promise<Result<T> | undefined>;

  /** Begins a read. The caller must give its result to `pass`, or its error to `recover`. */
  begun(): Promise<Result<T>> {
    this.source ??= this.open();
    return this.source instanceof PassingSource ? this.source.begun() : this.source.next();
  }

  pass(result: Result<T>): Passed<T> {
    if (!(this.source instanceof PassingSource)) return this.passed(result);
    const passed: Passed<T> = this.source.pass(result);
    if (passed instanceof Promise) return this.#passLater(passed);
    return passed && this.passed(passed);
  }

  recover(error: unknown): Promise<Result<T> | undefined> {
    return this.source instanceof PassingSource ? this.#passLater(this.source.recover(error)) : this.failed(error);
  }

  protected override async pull(): Promise<Result<T>> {
    for (;;) {
      const result = await this.#passedOne();
      if (result === undefined) continue;
      this.settle();
      return result;
    }
  }

  async #passedOne(): Promise<Result<T> | undefined> {
    let result: Result<T>;
    try {
      result = await this.begun();
    } catch (error) {
      return this.recover(error);
    }
    return this.pass(result);
  }

  async #passLater(passing: Promise<Result<T> | undefined>): Promise<Result<T> | undefined> {
    let result: Result<T> | undefined;
    try {
      result = await passing;
    } catch (error) {
      return this.failed(error);
    }
    return result && this.passed(result);
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

/** Reads a source to its end. `take` may return a promise, which the next read awaits; if it throws, the source is cancelled. */
export async function readAll<T>(source: ChunkSource<T>, take: (chunk: T) => Promise<void> | undefined): Promise<void> {
  for (;;) {
    let passed: Passed<T>;
    if (source instanceof PassingSource) {
      try {
        passed = await source.begun();
        passed = source.pass(passed);
      } catch (error) {
        passed = source.recover(error);
      }
      if (passed instanceof Promise) passed = await passed;
      if (passed === undefined) continue;
    } else passed = await source.next();
    if (passed.done === true) return;
    try {
      const wait = take(passed.value);
      if (wait !== undefined) await wait;
    } catch (error) {
      source.cancel(error);
      throw error;
    }
  }
}
