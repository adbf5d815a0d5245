import { isPromiseLike } from "../../is.js";
import { joinChunks } from "../concat/concat-chunks.js";
import type { ConcatRule, Joining } from "../concat/rule.js";
import { notAStream, streamCancelled, streamConsumed } from "../errors.js";
import { ArraySource } from "./array-source.js";
import { checkCopy, copySource } from "./copy.js";
import { iterableSource, pullTarget } from "./iterable-source.js";
import { DROPPED, mapSource } from "./map.js";
import { mergeNamedSources, mergeSources, type NamedChunk, type NamedSources, namedEntries } from "./merge.js";
import { RefusingSource } from "./refusing-source.js";
import { SerialSource } from "./serial-source.js";
import { type ChunkSource, readChunk, type StreamSource } from "./source.js";

type Pulled<T> = Pick<ChunkSource<T>, "next">;

/** Options of `copy` of a {@link StreamReader}. */
export interface CopyOptions {
  /** How many chunks a copy may fall behind the fastest one; beyond that it fails with `COPY_OVERFLOW`. @default no limit */
  readonly limit?: number | undefined;
}

/**
 * A stream of chunks. It is pulled by a single reader, and cancelled when a `for await` loop is left early.
 *
 * An error ends the stream after the chunks before it. Reading a second time, or after `cancel`, rejects.
 *
 * @example
 * const shouted = StreamReader.from(["a", "b"]).map((text) => text.toUpperCase());
 * for await (const chunk of shouted) console.log(chunk);
 */
export class StreamReader<out T> implements AsyncIterable<T> {
  /** How `concat()` joins the chunks. */
  readonly joining: Joining | undefined;
  #source: ChunkSource<T>;
  /** The object that is read, and its `next`, looked up once because this is the cost of each chunk. See `pullTarget`. */
  #target: Pulled<T>;
  #pull: Pulled<T>["next"];
  #taken = false;

  constructor(source: ChunkSource<T>, joining?: Joining) {
    this.#source = source;
    this.#target = pullTarget(source);
    this.#pull = this.#target.next;
    this.joining = joining;
  }

  /** Makes a reader from an async iterable, a web stream or an array. A StreamReader is returned as it is. */
  static from<T>(source: StreamSource<T> | readonly T[]): StreamReader<T> {
    return source instanceof StreamReader ? source : new StreamReader(openSource<T>(source));
  }

  /**
   * Merges sources: all chunks as they arrive, in order per source. An error in one ends the stream and cancels the others.
   *
   * @example
   * const both = StreamReader.merge([StreamReader.from([1, 2]), StreamReader.from([3])]);
   */
  static merge<T>(sources: readonly (StreamSource<T> | readonly T[])[]): StreamReader<T> {
    const readers = sources.map((source) => StreamReader.from<T>(source));
    return new StreamReader(mergeSources(readers.map((reader) => reader.takeSource())), sharedJoining(readers));
  }

  /** Merges sources with names: each chunk is `{ source, value }`, and `{ source, end: true }` marks the end of a source. */
  static mergeNamed<T, Name extends PropertyKey = string>(sources: NamedSources<T, Name>): StreamReader<NamedChunk<T>> {
    const readers = namedEntries<T>(sources).map(([name, source]) => [name, StreamReader.from<T>(source)] as const);
    return new StreamReader(mergeNamedSources(readers.map(([name, reader]) => [name, reader.takeSource()] as const)));
  }

  /** Maps each chunk with a function, which may be async. */
  map<Mapped>(fn: (chunk: T) => Mapped | PromiseLike<Mapped>): StreamReader<Mapped> {
    const source = mapSource(this.takeSource(), { apply: fn });
    return new StreamReader(source as ChunkSource<Mapped>, this.joining && withRule(this.joining, undefined));
  }

  /** Keeps the chunks for which a function, which may be async, returns a truthy value. */
  filter<Kept extends T>(fn: (chunk: T) => chunk is Kept): StreamReader<Kept>;
  filter(fn: (chunk: T) => unknown): StreamReader<T>;
  filter(fn: (chunk: T) => unknown): StreamReader<T> {
    const apply = (chunk: T): unknown => {
      const kept = fn(chunk);
      if (isPromiseLike(kept)) return kept.then((answer) => (answer ? chunk : DROPPED));
      return kept ? chunk : DROPPED;
    };
    return new StreamReader(mapSource(this.takeSource(), { apply }) as ChunkSource<T>, this.joining);
  }

  /**
   * Splits the stream into independent readers of the same chunks. A slow one never blocks the others: unread chunks are kept
   * for it. The source is cancelled when all copies are, so read or cancel every one.
   *
   * @example
   * const [shown, logged] = StreamReader.from(["a", "b"]).copy(2, { limit: 1_000 });
   */
  copy(count: 2, options?: CopyOptions): [StreamReader<T>, StreamReader<T>];
  copy(count: 3, options?: CopyOptions): [StreamReader<T>, StreamReader<T>, StreamReader<T>];
  copy(count: number, options?: CopyOptions): StreamReader<T>[];
  copy(count: number, { limit }: CopyOptions = {}): StreamReader<T>[] {
    checkCopy(count, limit);
    return copySource(this.takeSource(), count, limit).map((source) => new StreamReader(source, this.joining));
  }

  /**
   * Reads to the end and joins the chunks: strings are concatenated, messages merged, and of numbers the last counts. Chunks of
   * your own types are joined as their node declares with `concat`.
   *
   * @example
   * const text = await StreamReader.from(["to ", "be"]).concat();
   */
  async concat(): Promise<T> {
    const reader = this.#claim();
    const chunks: T[] = [];
    for (;;) {
      const pulled = readChunk(reader.#source);
      const result = pulled instanceof Promise ? await pulled : pulled;
      if (result.done) break;
      chunks.push(result.value);
    }
    return joinChunks(chunks, this.joining) as T;
  }

  /** Stops the producer with a reason; reading rejects from now on. Does not wait until the producer has stopped. */
  cancel(reason?: unknown): Promise<void> {
    const source: ChunkSource<T> = this.#source;
    if (!(source instanceof RefusingSource)) {
      this.#become(new RefusingSource(() => streamCancelled(reason)));
      source.cancel(reason);
    }
    return settlingOf(source) ?? Promise.resolve();
  }

  /** Converts to a web stream, for responses and browsers. Nothing is produced before it is read. */
  toReadableStream(): ReadableStream<T> {
    return toReadableStream(this.takeSource());
  }

  /** For a single `for await` loop. A second loop rejects at its first read. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    const reader = this.#claim();
    return reader.#source.loop?.(reader) ?? reader;
  }

  /** Reads the next chunk, as a `for await` loop does. */
  next(): Promise<IteratorResult<T, undefined>> {
    return this.#pull.call(this.#target);
  }

  /** Leaves the stream early, as `break` does. */
  return(): Promise<IteratorResult<T, undefined>> {
    return this.cancel().then(() => ({ done: true, value: undefined }));
  }

  /** The same stream with another rule for `concat()`. */
  withRule(rule: ConcatRule | undefined): StreamReader<T> {
    return new StreamReader(this.takeSource(), withRule(this.joining, rule));
  }

  /** Takes the source out, for operators. This reader then counts as read. */
  takeSource(): ChunkSource<T> {
    const source = this.#source;
    if (source instanceof RefusingSource) return source;
    if (this.#taken) return new RefusingSource(streamConsumed);
    this.#become(new RefusingSource(streamConsumed));
    return source;
  }

  /** Returns this reader to its first user, and one that rejects to every other. */
  #claim(): StreamReader<T> {
    if (this.#taken && !(this.#source instanceof RefusingSource))
      return new StreamReader(new RefusingSource(streamConsumed));
    this.#taken = true;
    return this;
  }

  #become(source: ChunkSource<T>): void {
    this.#source = source;
    this.#target = source;
    this.#pull = source.next;
  }
}

function settlingOf({ settling }: ChunkSource<unknown>): Promise<void> | undefined {
  return settling;
}

function openSource<T>(stream: StreamSource<T> | readonly T[]): ChunkSource<T> {
  const given: unknown = stream;
  if (Array.isArray(given)) return new ArraySource<T>(given);
  if (typeof given !== "object" || given === null) throw notAStream(given);
  if (isReadableStream(given)) return new ReadableStreamSource(given as ReadableStream<T>);
  if (Symbol.asyncIterator in given) return iterableSource(given as AsyncIterable<T>);
  throw notAStream(given);
}

/** The joining of merged readers, if it is the same for all. */
function sharedJoining(readers: readonly StreamReader<unknown>[]): Joining | undefined {
  const first = readers[0]?.joining;
  return readers.every(({ joining }) => joining?.rule === first?.rule && joining?.registry === first?.registry)
    ? first
    : undefined;
}

/** Replaces the rule. The rest is looked up lazily, because the output of a run has its joining only once the run has begun. */
function withRule(joining: Joining | undefined, rule: ConcatRule | undefined): Joining {
  return {
    rule,
    get registry() {
      return joining?.registry;
    },
    get where() {
      return joining?.where;
    },
    locate: (error) => (joining?.locate === undefined ? error : joining.locate(error)),
  };
}

/** A source over a web stream, which is locked from now on. */
class ReadableStreamSource<out T> extends SerialSource<T> {
  private readonly reader: ReadableStreamDefaultReader<T>;

  constructor(stream: ReadableStream<T>) {
    super();
    this.reader = stream.getReader();
  }

  protected override async pull(): Promise<IteratorResult<T, undefined>> {
    try {
      const result = await this.reader.read();
      this.checkOpen();
      if (!result.done) {
        this.settle();
        return result;
      }
    } catch (error) {
      this.finish();
      throw error;
    }
    this.finish();
    this.reader.releaseLock();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.reader.cancel(reason).then(undefined, ignore);
  }
}

function isReadableStream(value: object): value is ReadableStream<unknown> {
  return "getReader" in value && typeof value.getReader === "function";
}

/** Converts a source to a web stream, which pulls only when it is read. */
function toReadableStream<T>(source: ChunkSource<T>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const result = await source.next();
        if (result.done) controller.close();
        else controller.enqueue(result.value);
      },
      cancel(reason) {
        source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function ignore(): void {}
