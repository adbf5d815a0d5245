import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { ChunkSource, StreamSource } from "../../schema/stream/source.js";
import type { TaskContext } from "./task-context.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * What a node streams. The promise of its source is handed through untouched and remembered, so that the origin of an
 * error can be found when it arrives at the end, without a cost per chunk. Cancelling it also cancels what the node reads:
 * a generator that never started does not do that itself.
 */
export class NodeStream implements ChunkSource<unknown> {
  readonly ctx: TaskContext;
  readonly #source: Pick<ChunkSource<unknown>, "next" | "cancel">;
  readonly #upstream: StreamReader<unknown> | undefined;
  #last: Promise<Result> | undefined = undefined;

  constructor(source: ChunkSource<unknown>, upstream: StreamReader<unknown> | undefined, ctx: TaskContext) {
    this.#source = source;
    this.#upstream = upstream;
    this.ctx = ctx;
  }

  next(): Promise<Result> {
    const pulled = this.#source.next();
    this.#last = pulled;
    return pulled;
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
    this.#upstream?.cancel(reason);
  }

  /** Whether the last thing that came from this node was that very error. */
  async failedWith(error: unknown): Promise<boolean> {
    if (this.#last === undefined) return false;
    return this.#last.then(
      () => false,
      (thrown: unknown) => thrown === error,
    );
  }
}

/** The reader of what a node gave back as a stream. */
export function toReader(
  output: unknown,
  joining: Joining,
  upstream: StreamReader<unknown> | undefined,
  ctx: TaskContext,
): StreamReader<unknown> {
  if (output === upstream && upstream !== undefined) return upstream;
  const stream = new NodeStream(StreamReader.from(output as StreamSource<unknown>).takeSource(), upstream, ctx);
  ctx.owner.addStream(stream);
  return new StreamReader<unknown>(stream, joining);
}

/** A stream of one chunk, which is whole already: the concat rule of its node is not for it. */
export function oneChunk(value: unknown, joining: Joining | undefined): StreamReader<unknown> {
  const whole = joining && { registry: joining.registry, where: joining.where };
  return new StreamReader<unknown>(StreamReader.from([value]).takeSource(), whole);
}

/** The same stream, joined as told. */
export function rejoin(reader: StreamReader<unknown>, joining: Joining | undefined): StreamReader<unknown> {
  return new StreamReader(reader.takeSource(), joining);
}
