import { SerialSource } from "../schema/stream/serial-source.js";
import type { ChunkSource } from "../schema/stream/source.js";

type Result<T> = IteratorResult<T, undefined>;

/** What became of a read: `undefined` when there is nothing to give yet. */
export type Passed<T> = Result<T> | undefined | Promise<Result<T> | undefined>;

/**
 * A source that passes on what another one gives, looks at it, and may hold it back or go on with another one. However many stand
 * around one another, a chunk takes one promise: who reads them awaits the innermost read, and what that came to goes through all
 * of them.
 */
export abstract class PassingSource<T> extends SerialSource<T> {
  /** What is read now; opened at the first read. */
  protected source: ChunkSource<T> | undefined = undefined;

  protected abstract open(): ChunkSource<T>;
  /** What becomes of what was read. Errors of its own are rejections: what is thrown would be taken for a failed read. */
  protected abstract passed(result: Result<T>): Passed<T>;
  /** What becomes of a failed read: it gives another result, or rejects. */
  protected abstract failed(error: unknown): Promise<Result<T> | undefined>;

  /** Begins a read: what it comes to must be given to `pass`, or to `recover`. */
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

  /** What a read comes to when the source was cancelled, or has ended, meanwhile. */
  protected async closed(): Promise<Result<T>> {
    this.checkOpen();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.source?.cancel(reason);
  }
}

/** Reads a source to its end. `take` may return a promise, which the next read waits for; if it fails, the source is left. */
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
