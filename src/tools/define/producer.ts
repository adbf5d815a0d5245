import { isObject, isStream } from "../../is.js";
import { StreamReader } from "../../schema/stream/reader.js";

/** Yields the output of a tool, whatever kind of stream it returned. */
export interface Producer {
  /** The last result carries the return value of a generator. */
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Stops the producer without waiting for it. */
  cancel(reason: unknown): void;
}

/** Whether a tool returned a stream: an async iterable, a web stream, or a generator. */
export function isToolStream(value: unknown): value is object {
  return isStream(value) || (isObject(value) && ("getReader" in value || isSyncGenerator(value)));
}

export function producerOf(stream: object): Producer {
  if (stream instanceof StreamReader) return stream.takeSource();
  // not by its iterator, which could not be cancelled while a read is pending
  if ("getReader" in stream) return StreamReader.from(stream as ReadableStream<unknown>).takeSource();
  if (Symbol.asyncIterator in stream)
    return new IteratorProducer((stream as AsyncIterable<unknown>)[Symbol.asyncIterator]());
  return new IteratorProducer(stream as Generator<unknown>);
}

class IteratorProducer implements Producer {
  readonly #iterator: AsyncIterator<unknown> | Iterator<unknown>;

  constructor(iterator: AsyncIterator<unknown> | Iterator<unknown>) {
    this.#iterator = iterator;
  }

  async next(): Promise<IteratorResult<unknown, unknown>> {
    return this.#iterator.next();
  }

  cancel(): void {
    void this.#leave().catch(ignore);
  }

  async #leave(): Promise<void> {
    await this.#iterator.return?.();
  }
}

/** An error that a producer throws while it stops has no reader any more. */
function ignore(): void {}

/** Whether it is a generator. Arrays and other iterables are values, not streams. */
function isSyncGenerator(value: object): value is Generator<unknown> {
  return "throw" in value && "next" in value && Symbol.iterator in value;
}
