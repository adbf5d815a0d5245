import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";

/** A stream of a generator that reads others. Cancelling it cancels those too, even if the generator never started. */
export function lazyReader(
  upstream: readonly StreamReader<unknown>[],
  chunks: AsyncGenerator<unknown, void>,
  joining: Joining | undefined,
): StreamReader<unknown> {
  const iterator: AsyncIterator<unknown, undefined> = {
    next: () => chunks.next() as Promise<IteratorResult<unknown, undefined>>,
    return: () => {
      for (const reader of upstream) void reader.cancel();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const source = StreamReader.from({ [Symbol.asyncIterator]: () => iterator }).takeSource();
  return new StreamReader<unknown>(source, joining);
}
