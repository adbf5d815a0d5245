import { SerialSource } from "../schema/stream/serial-source.js";
import type { ChunkSource } from "../schema/stream/source.js";
import { isSplit, type Passed, type SplitReader, type SplitSource } from "../schema/stream/split-source.js";

type Result<T> = IteratorResult<T, undefined>;

/** A source that passes on the chunks of another one. It may inspect them, hold them back, or switch to another source. */
export abstract class PassingSource<T> extends SerialSource<T> implements SplitSource<T> {
  /** The current source; opened on the first read. */
  private source: ChunkSource<T> | undefined = undefined;
  /** {@link source}, if it is a `SplitSource`. */
  private split: SplitSource<T> | undefined = undefined;

  protected abstract open(): ChunkSource<T>;
  /** Handles the result of a read. It must reject rather than throw, as a thrown error would count as a failed read. */
  protected abstract passed(result: Result<T>): Passed<T>;
  /** Handles a failed read: returns another result, or rejects. */
  protected abstract failed(error: unknown): Promise<Result<T> | undefined>;

  begun(reader?: SplitReader): Promise<Result<T>> {
    const source = this.source ?? this.goOn(this.open());
    return this.split === undefined ? source.next() : this.split.begun(reader);
  }

  pass(result: Result<T>): Passed<T> {
    if (this.split === undefined) return this.passed(result);
    const passed = this.split.pass(result);
    if (passed instanceof Promise) return this.#passLater(passed);
    return passed && this.passed(passed);
  }

  recover(error: unknown): Promise<Result<T> | undefined> {
    return this.split === undefined ? this.failed(error) : this.#passLater(this.split.recover(error));
  }

  /** Reads another source from now on. */
  protected goOn(source: ChunkSource<T>): ChunkSource<T> {
    this.source = source;
    this.split = isSplit(source) ? source : undefined;
    return source;
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

/** May return a promise, which the next read awaits. */
type Take<T> = (chunk: T) => Promise<void> | undefined;

/** Reads a source to its end; if `take` throws, the source is cancelled. */
export function readAll<T>(source: ChunkSource<T>, take: Take<T>): Promise<void> {
  return isSplit(source) ? new WholeRead(source, take).run() : readEach(source, take);
}

async function readEach<T>(source: ChunkSource<T>, take: Take<T>): Promise<void> {
  for (;;) {
    const { done, value } = await source.next();
    if (done === true) return;
    try {
      await take(value);
    } catch (error) {
      source.cancel(error);
      throw error;
    }
  }
}

/** Reads a `SplitSource` to its end. */
class WholeRead<T> implements SplitReader {
  readonly #source: SplitSource<T>;
  readonly #take: Take<T>;
  /** Counts the loops: after a stop, a new loop continues, and the previous one ignores its pending read. */
  #loops = 0;
  #resolve: () => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(source: SplitSource<T>, take: Take<T>) {
    this.#source = source;
    this.#take = take;
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void this.#loop();
    });
  }

  stopped(reason: unknown): void {
    void this.#loop(Promise.reject(reason));
  }

  async #loop(stopped?: Promise<never>): Promise<void> {
    const source = this.#source;
    this.#loops += 1;
    const own = this.#loops;
    let pending = stopped;
    try {
      for (;;) {
        let passed: Passed<T>;
        try {
          const result = await (pending ?? source.begun(this));
          if (own !== this.#loops) return;
          passed = source.pass(result);
        } catch (error) {
          if (own !== this.#loops) return;
          passed = source.recover(error);
        }
        pending = undefined;
        if (passed instanceof Promise) passed = await passed;
        if (passed === undefined) continue;
        if (passed.done === true) break;
        try {
          const wait = this.#take(passed.value);
          if (wait !== undefined) await wait;
        } catch (error) {
          source.cancel(error);
          throw error;
        }
      }
      this.#resolve();
    } catch (error) {
      this.#reject(error);
    }
  }
}

function ignore(): void {}
