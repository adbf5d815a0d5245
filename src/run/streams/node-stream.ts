import { streamCancelled } from "../../schema/errors.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { generatorNext, pullTarget } from "../../schema/stream/iterable-source.js";
import { isDeep, nesting } from "../../schema/stream/nesting.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import type { Task, TaskStream } from "../task.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * The stream of a node. It returns the promises of its source untouched and keeps the last one: when an error arrives at the
 * end of the run, its origin can be found without any cost per chunk. Cancelling it also cancels the node's input, which a
 * generator that never started would not do.
 */
export class NodeStream implements ChunkSource<unknown>, TaskStream {
  readonly task: Task;
  ended = false;
  readonly #source: ChunkSource<unknown>;
  /** The object to read from, and its `next`: for a generator, the generator itself. Looked up once, to keep a chunk cheap. */
  readonly #target: Pick<ChunkSource<unknown>, "next">;
  readonly #pull: ChunkSource<unknown>["next"];
  readonly #isGenerator: boolean;
  /** Defined on the prototype, where engines treat it as a constant and can inline the call. */
  declare readonly generatorNext: ChunkSource<unknown>["next"];
  readonly #upstream: StreamReader<unknown> | undefined;
  #last: Promise<Result> | undefined = undefined;
  /** How many reads are waiting for a shallower stack. */
  #postponed = 0;
  #cancelled: { readonly reason: unknown } | undefined = undefined;

  constructor(source: ChunkSource<unknown>, upstream: StreamReader<unknown> | undefined, task: Task) {
    this.#source = source;
    this.#target = pullTarget(source);
    this.#pull = this.#target.next;
    this.#isGenerator = this.#pull === generatorNext;
    this.#upstream = upstream;
    this.task = task;
  }

  /** Rejects after a cancellation: otherwise the end of the source would look like the complete stream. */
  next(): Promise<Result> {
    if (this.#cancelled !== undefined) return Promise.reject(streamCancelled(this.#cancelled.reason));
    const pulled = isDeep() || this.#postponed > 0 ? this.#pullLater() : this.#pullNow();
    this.#last = pulled;
    return pulled;
  }

  /** In a line of streaming nodes each read calls the next one; `nesting` limits the depth. */
  #pullNow(): Promise<Result> {
    nesting.depth++;
    try {
      return this.#isGenerator ? this.generatorNext.call(this.#target) : this.#pull.call(this.#target);
    } finally {
      nesting.depth--;
    }
  }

  async #pullLater(): Promise<Result> {
    this.#postponed++;
    await undefined;
    this.#postponed--;
    if (this.#cancelled !== undefined) throw streamCancelled(this.#cancelled.reason);
    return this.#pullNow();
  }

  cancel(reason?: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { reason };
    this.ended = true;
    this.#source.cancel(reason);
    this.#upstream?.cancel(reason);
  }

  loop(): AsyncIterator<unknown, undefined> {
    return this;
  }

  /** Called when a `for await` loop is left early. */
  return(): Promise<Result> {
    this.cancel();
    return ended();
  }

  look(): void {
    this.#last?.then((result) => {
      if (result.done) this.ended = true;
    }, ignore);
  }

  ifFailedWith(error: unknown, found: () => void): void {
    this.#last?.then(undefined, (thrown: unknown) => {
      if (thrown === error) found();
    });
  }
}

Object.defineProperty(NodeStream.prototype, "generatorNext", { value: generatorNext });

function ignore(): void {}

/** Registers a stream with its run. An array cannot fail and needs no cancelling, so it is returned as it is. */
export function traced(
  source: ChunkSource<unknown>,
  upstream: StreamReader<unknown> | undefined,
  task: Task,
): ChunkSource<unknown> {
  if (source instanceof ArraySource) return source;
  task.isStreaming = true;
  const stream = new NodeStream(source, upstream, task);
  task.owner.openStreams.add(stream);
  return stream;
}
