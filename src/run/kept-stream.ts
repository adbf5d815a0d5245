import { joinChunks } from "../schema/concat/concat-chunks.js";
import type { Joining } from "../schema/concat/rule.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * A stream with every chunk kept, for a run that can be resumed. Leaving its reader does not stop the node: a run that stops
 * to wait needs the rest.
 */
export class KeptStream {
  readonly joining: Joining | undefined;
  readonly chunks: unknown[] = [];
  /** It has given all that it had to give. */
  ended = false;
  failure: { readonly error: unknown } | undefined = undefined;
  readonly #source: ChunkSource<unknown>;
  readonly #atEnd: (() => void) | undefined;
  /** The read under way. */
  #pull: Promise<void> | undefined = undefined;

  /** `atEnd` may throw, in place of the end. */
  constructor(given: StreamReader<unknown>, atEnd?: () => void) {
    this.joining = given.joining;
    this.#source = given.takeSource();
    this.#atEnd = atEnd;
  }

  /** A reader of all chunks, from the first on. */
  read(): StreamReader<unknown> {
    return new StreamReader<unknown>(new KeptSource(this), this.joining);
  }

  /** Reads what is left. What it fails with is in {@link failure}. */
  async drain(): Promise<void> {
    while (!this.ended && this.failure === undefined) await this.#next();
  }

  /** Nobody needs the rest: the node may stop. */
  release(reason: unknown): void {
    if (!this.ended && this.failure === undefined) this.#source.cancel(reason);
  }

  /** All chunks as one value. */
  whole(): unknown {
    return joinChunks(this.chunks, this.joining);
  }

  async chunkAt(index: number): Promise<Result> {
    while (index >= this.chunks.length) {
      if (this.failure !== undefined) throw this.failure.error;
      if (this.ended) return ended();
      await this.#next();
    }
    return { done: false, value: this.chunks[index] };
  }

  #next(): Promise<void> {
    this.#pull ??= this.#source.next().then(this.#take.bind(this), this.#fail.bind(this));
    return this.#pull;
  }

  #take(result: Result): void {
    this.#pull = undefined;
    if (result.done !== true) {
      this.chunks.push(result.value);
      return;
    }
    try {
      this.#atEnd?.();
      this.ended = true;
    } catch (error) {
      this.failure ??= { error };
    }
  }

  #fail(error: unknown): void {
    this.#pull = undefined;
    this.failure ??= { error };
  }
}

class KeptSource implements ChunkSource<unknown> {
  readonly #kept: KeptStream;
  #index = 0;
  #isOver = false;

  constructor(kept: KeptStream) {
    this.#kept = kept;
  }

  async next(): Promise<Result> {
    if (this.#isOver) return ended();
    try {
      return await this.#kept.chunkAt(this.#index++);
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  cancel(): void {}
}
