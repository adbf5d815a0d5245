import { streamCancelled } from "../errors.js";
import { checkRecordKey, type IntegerProblem } from "../record-key.js";
import { ArraySource } from "./array-source.js";
import { Queue } from "./queue.js";
import { type ChunkSource, ended, type StreamSource } from "./source.js";

/** A chunk of a named merge: a value of the source, or the mark that the source has ended. */
export type NamedChunk<T> =
  | {
      /** The name of the stream that the chunk came from, or that has ended. */
      readonly source: string;
      readonly value: T;
    }
  | { readonly source: string; readonly end: true };

/** Streams by name. A name that looks like an integer is an error, because JavaScript would move it to the front. @internal */
export type NamedSources<T, Name extends PropertyKey> = {
  readonly [Key in Name]: StreamSource<T> | readonly T[];
} & {
  readonly [Key in Name]: IntegerProblem<Key> extends "" ? unknown : IntegerProblem<Key>;
};

/** The streams with their names, in order. */
export function namedEntries<T>(sources: NamedSources<T, PropertyKey>): [string, StreamSource<T> | readonly T[]][] {
  for (const name of Object.keys(sources)) checkRecordKey(name);
  return Object.entries(sources);
}

/**
 * All chunks of all sources as they arrive. An error in one ends the merged source and cancels the others; one that `waits`
 * selects is reported only after the others have ended, and not at all if another one fails.
 */
export function mergeSources<T>(
  sources: readonly ChunkSource<T>[],
  waits?: (error: unknown) => boolean,
): ChunkSource<T> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  const arrays = sources.filter((source) => source instanceof ArraySource);
  if (arrays.length === sources.length) return new ArraySource(arrays.flatMap((source) => source.rest()));
  return new MergeSource<T>(
    sources.map((source) => ({ source })),
    waits,
  );
}

/** The same, with the name of the source in each chunk, and one more chunk when a source has ended. */
export function mergeNamedSources<T>(
  sources: readonly (readonly [name: string, source: ChunkSource<T>])[],
): ChunkSource<NamedChunk<T>> {
  return new MergeSource<NamedChunk<T>>(
    sources.map(([name, source]) => ({
      source,
      wrap: (value) => ({ source: name, value: value as T }),
      last: { source: name, end: true },
    })),
  );
}

interface InputOptions<Out> {
  readonly source: ChunkSource<unknown>;
  readonly wrap?: (chunk: unknown) => Out;
  readonly last?: Out;
}

type Answer<Out> = (result: IteratorResult<Out, undefined> | Promise<IteratorResult<Out, undefined>>) => void;

/** Each input has one pending read or one ready chunk, and is read again only when the consumer reads on. */
class MergeSource<Out> implements ChunkSource<Out> {
  private readonly inputs: readonly Input<Out>[];
  /** A linked list of the inputs to pull at the next read: at first all, later those whose chunk was taken. */
  private idle: Input<Out> | undefined = undefined;
  private readonly ready = new Queue<Input<Out>>();
  private readonly waiters = new Queue<Answer<Out>>();
  private readonly wait: (answer: Answer<Out>) => void = this.waiters.push.bind(this.waiters);
  private live: number;
  private closed: boolean;
  private failure: { readonly error: unknown } | undefined = undefined;
  private readonly waits: ((error: unknown) => boolean) | undefined;

  constructor(inputs: readonly InputOptions<Out>[], waits?: (error: unknown) => boolean) {
    this.waits = waits;
    this.inputs = inputs.map((options) => new Input(this, options));
    this.live = inputs.length;
    this.closed = this.live === 0;
    for (const input of this.inputs.toReversed()) this.addIdle(input);
  }

  next(): Promise<IteratorResult<Out, undefined>> {
    this.pullIdle();
    const input = this.ready.shift();
    if (input !== undefined) return Promise.resolve(this.take(input));
    if (this.closed) return this.afterEnd();
    return new Promise(this.wait);
  }

  cancel(reason?: unknown): void {
    this.ready.clear();
    this.failure = undefined;
    if (this.closed) return;
    this.close(reason);
    this.answerAll(() => Promise.reject(streamCancelled(reason)));
  }

  /** An input has a chunk: it answers a waiting read, or is kept for the next one. */
  arrived(input: Input<Out>, result: IteratorResult<Out, undefined>): void {
    if (this.closed) return;
    input.result = result;
    const answer = this.waiters.shift();
    if (answer === undefined) {
      this.ready.push(input);
      return;
    }
    answer(this.take(input));
    if (this.waiters.size > 0) this.pullIdle();
  }

  inputEnded(): void {
    if (this.closed) return;
    this.live--;
    if (this.live === 0) this.end();
  }

  inputFailed(error: unknown): void {
    if (this.closed) return;
    if (this.waits?.(error) === true) {
      this.failure ??= { error };
      this.inputEnded();
      return;
    }
    this.failure = { error };
    this.close(error);
    this.end();
  }

  private take(input: Input<Out>): IteratorResult<Out, undefined> {
    const { result } = input;
    input.result = undefined;
    if (!input.finished && !this.closed) this.addIdle(input);
    return result ?? { done: true, value: undefined };
  }

  private addIdle(input: Input<Out>): void {
    input.nextIdle = this.idle;
    this.idle = input;
  }

  private pullIdle(): void {
    let input = this.idle;
    this.idle = undefined;
    while (input !== undefined) {
      const { nextIdle } = input;
      input.nextIdle = undefined;
      input.pull();
      input = nextIdle;
    }
  }

  private close(reason: unknown): void {
    this.closed = true;
    this.idle = undefined;
    for (const input of this.inputs) input.cancel(reason);
  }

  private end(): void {
    this.closed = true;
    this.answerAll(() => this.afterEnd());
  }

  private answerAll(result: () => Promise<IteratorResult<Out, undefined>>): void {
    for (let answer = this.waiters.shift(); answer !== undefined; answer = this.waiters.shift()) answer(result());
  }

  private afterEnd(): Promise<IteratorResult<Out, undefined>> {
    const { failure } = this;
    this.failure = undefined;
    return failure === undefined ? ended() : Promise.reject(failure.error);
  }
}

class Input<Out> {
  result: IteratorResult<Out, undefined> | undefined = undefined;
  nextIdle: Input<Out> | undefined = undefined;
  finished = false;
  private readonly owner: MergeSource<Out>;
  private readonly options: InputOptions<Out>;
  private readonly onResult: (result: IteratorResult<unknown, undefined>) => void;
  private readonly onError: (error: unknown) => void;

  constructor(owner: MergeSource<Out>, options: InputOptions<Out>) {
    this.owner = owner;
    this.options = options;
    this.onResult = this.take.bind(this);
    this.onError = this.fail.bind(this);
  }

  pull(): void {
    this.options.source.next().then(this.onResult, this.onError);
  }

  private take(result: IteratorResult<unknown, undefined>): void {
    const { owner } = this;
    const { wrap, last } = this.options;
    if (!result.done) {
      owner.arrived(
        this,
        wrap === undefined ? (result as IteratorResult<Out, undefined>) : { done: false, value: wrap(result.value) },
      );
      return;
    }
    this.finished = true;
    if (last !== undefined) owner.arrived(this, { done: false, value: last });
    owner.inputEnded();
  }

  private fail(error: unknown): void {
    this.finished = true;
    this.owner.inputFailed(error);
  }

  cancel(reason: unknown): void {
    if (!this.finished) this.options.source.cancel(reason);
    this.finished = true;
  }
}
