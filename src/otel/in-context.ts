import { isPromiseLike, isStream } from "../is.js";
import { ArraySource } from "../schema/stream/array-source.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";
import { type Context, withContext } from "./api.js";
import { attempt } from "./attempt.js";

/** Starts a run within a context, also if the SDK throws. */
export function startWithin<Started>(active: Context, start: () => Started): Started {
  let started: { readonly value: Started } | { readonly error: unknown } | undefined;
  attempt(() =>
    withContext(active, () => {
      try {
        started = { value: start() };
      } catch (error) {
        started = { error };
      }
    }),
  );
  const outcome = started as typeof started;
  if (outcome === undefined) return start();
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** Makes a function run within a context; if it returns a stream, each read of it does too. */
export function inContext<Args extends unknown[], Output>(
  context: Context,
  run: (...args: Args) => Output,
): (...args: Args) => Output {
  return (...args) =>
    readIn(
      context,
      startWithin(context, () => run(...args)),
    ) as Output;
}

function readIn(context: Context, output: unknown): unknown {
  if (output instanceof StreamReader) {
    const source = output.takeSource();
    // the chunks of an array are there already
    const own = source instanceof ArraySource ? source : new SourceIn(context, source);
    return new StreamReader(own, output.joining);
  }
  if (isStream(output)) return iterableIn(context, output);
  if (!isPromiseLike(output)) return output;
  // a query, for example, is not sent before its `then` is called
  return startWithin(context, () => output.then((ready) => readIn(context, ready)));
}

/** An iterable that remains one: what a generator returns at its end counts too. */
function iterableIn(
  context: Context,
  stream: AsyncIterable<unknown> | ReadableStream<unknown>,
): AsyncIterable<unknown> | StreamReader<unknown> {
  if (!(Symbol.asyncIterator in stream)) {
    return new StreamReader(new SourceIn(context, StreamReader.from(stream).takeSource()));
  }
  return {
    [Symbol.asyncIterator](): AsyncIterator<unknown> {
      const own = startWithin(context, () => stream[Symbol.asyncIterator]());
      return {
        next: () => startWithin(context, () => own.next()),
        return: async (value) =>
          startWithin(context, () => own.return?.(value)) ?? { done: true as const, value: undefined },
      };
    },
  };
}

class SourceIn implements ChunkSource<unknown> {
  readonly #context: Context;
  readonly #source: ChunkSource<unknown>;

  constructor(context: Context, source: ChunkSource<unknown>) {
    this.#context = context;
    this.#source = source;
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    return startWithin(this.#context, () => this.#source.next());
  }

  cancel(reason?: unknown): void {
    startWithin(this.#context, () => this.#source.cancel(reason));
  }
}
