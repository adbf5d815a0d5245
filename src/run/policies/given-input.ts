import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import type { Attempt } from "./attempt.js";

type Result = IteratorResult<unknown, undefined>;

/** The input of a node, the same for each attempt. */
export interface GivenInput {
  /** The input of an attempt. */
  for(attempt: Attempt): unknown;
  /** The input as a value, for the fallback or the error branch. */
  whole(): unknown;
  /** No further attempt follows: chunks need not be kept. */
  forget(): void;
  /** Set if the stream failed, which is the failure of another node. */
  readonly failure: { readonly error: unknown } | undefined;
}

export class GivenValue implements GivenInput {
  readonly failure = undefined;
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  for(): unknown {
    return this.#value;
  }

  whole(): unknown {
    return this.#value;
  }

  forget(): void {}
}

/** A stream that keeps every chunk as long as a further attempt may need it. */
export class GivenStream implements GivenInput {
  failure: { readonly error: unknown } | undefined = undefined;
  readonly joining: Joining | undefined;
  readonly chunks: unknown[] = [];
  readonly #source: ChunkSource<unknown>;
  #isKept = true;
  #hasEnded = false;
  #pull: Promise<Result> | undefined = undefined;

  constructor(reader: StreamReader<unknown>) {
    this.joining = reader.joining;
    this.#source = reader.takeSource();
  }

  for(attempt: Attempt): StreamReader<unknown> {
    return new StreamReader<unknown>(new Replay(this, attempt), this.joining);
  }

  /** All chunks, read to the end. */
  async all(): Promise<readonly unknown[]> {
    while (!this.#hasEnded) await this.next();
    return this.chunks;
  }

  async whole(): Promise<unknown> {
    return joinChunks(await this.all(), this.joining);
  }

  forget(): void {
    this.#isKept = false;
  }

  /** Reads the next chunk; overlapping reads share one. */
  next(): Promise<Result> {
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    if (this.#hasEnded) return ended();
    this.#pull ??= this.#next();
    return this.#pull;
  }

  cancel(reason: unknown): void {
    this.#source.cancel(reason);
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  async #next(): Promise<Result> {
    try {
      const result = await this.#source.next();
      if (result.done === true) this.#hasEnded = true;
      else if (this.#isKept) this.chunks.push(result.value);
      return result;
    } catch (error) {
      this.failure = { error };
      throw error;
    } finally {
      this.#pull = undefined;
    }
  }
}

/** The input of one attempt: the chunks kept so far, then new ones. */
class Replay implements ChunkSource<unknown> {
  readonly #given: GivenStream;
  readonly #attempt: Attempt;
  #index = 0;
  #hasFailed = false;
  #last: Promise<unknown> | undefined = undefined;

  constructor(given: GivenStream, attempt: Attempt) {
    this.#given = given;
    this.#attempt = attempt;
  }

  next(): Promise<Result> {
    const next = this.#last === undefined ? this.#next() : this.#last.then(this.#next, this.#next);
    this.#last = next.then(ignore, ignore);
    return next;
  }

  readonly #next = async (): Promise<Result> => {
    // rejects with an error only once; then it has ended
    if (this.#hasFailed) return { done: true, value: undefined };
    this.#attempt.scope.throwIfAborted();
    const { chunks } = this.#given;
    if (this.#index < chunks.length) return { done: false, value: chunks[this.#index++] };
    try {
      const result = await this.#attempt.pausing(this.#given.next());
      if (result.done !== true) this.#index++;
      return result;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  };

  /** Cancels the input only if no further attempt can need it. */
  cancel(reason?: unknown): void {
    if (!this.#given.isKept) this.#given.cancel(reason);
  }
}

function ignore(): void {}
