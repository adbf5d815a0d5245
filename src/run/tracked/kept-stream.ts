import { concatChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { ChunkSource } from "../../schema/stream/source.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * The output of a node that streams, with every chunk kept. Leaving it does not stop the node: a run that stops to wait
 * needs the rest.
 */
export class KeptStream implements ChunkSource<unknown> {
  /** It has given all that it had to give. */
  ended = false;
  failure: { readonly error: unknown } | undefined = undefined;
  readonly reader: StreamReader<unknown>;
  readonly #source: ChunkSource<unknown>;
  readonly #joining: Joining | undefined;
  readonly #atEnd: (() => void) | undefined;
  readonly #chunks: unknown[] = [];
  readonly #onResult: (result: Result) => Result;
  readonly #onError: (error: unknown) => never;

  /** `atEnd` may throw, in place of the end. */
  constructor(given: StreamReader<unknown>, atEnd?: () => void) {
    this.#atEnd = atEnd;
    this.#joining = given.joining;
    this.#source = given.takeSource();
    this.#onResult = this.#take.bind(this);
    this.#onError = this.#fail.bind(this);
    this.reader = new StreamReader<unknown>(this, this.#joining);
  }

  next(): Promise<Result> {
    return this.#source.next().then(this.#onResult, this.#onError);
  }

  cancel(): void {}

  /** Reads what is left. What it fails with is in {@link failure}. */
  async drain(): Promise<void> {
    while (!this.ended && this.failure === undefined) await this.next().then(undefined, ignore);
  }

  /** Nobody needs the rest: the node may stop. */
  release(reason: unknown): void {
    if (!this.ended && this.failure === undefined) this.#source.cancel(reason);
  }

  /** All chunks as one value. */
  whole(): unknown {
    const { rule, registry, where } = this.#joining ?? {};
    return concatChunks(this.#chunks, rule, registry, where);
  }

  #take(result: Result): Result {
    if (result.done) this.#end();
    else this.#chunks.push(result.value);
    return result;
  }

  #end(): void {
    try {
      this.#atEnd?.();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
    this.ended = true;
  }

  #fail(error: unknown): never {
    this.failure ??= { error };
    throw error;
  }
}

function ignore(): void {}
