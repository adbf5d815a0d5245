import { streamCancelled } from "../../schema/errors.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { generatorNext, pullTarget } from "../../schema/stream/iterable-source.js";
import { isDeep, nesting } from "../../schema/stream/nesting.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import type { Task, TaskStream } from "../task.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * What a node streams. The promise of its source is handed through untouched and remembered, so that the origin of an
 * error can be found when it arrives at the end, without a cost per chunk. Cancelling it also cancels what the node reads:
 * a generator that never started does not do that itself.
 */
export class NodeStream implements ChunkSource<unknown>, TaskStream {
  readonly task: Task;
  ended = false;
  readonly #source: ChunkSource<unknown>;
  /** What is read, and how: looked up once, and for a generator the generator itself. It is the price of a chunk. */
  readonly #target: Pick<ChunkSource<unknown>, "next">;
  readonly #pull: ChunkSource<unknown>["next"];
  readonly #isGenerator: boolean;
  /** On the prototype, where engines take it for a constant: then they call it without asking what it is. */
  declare readonly generatorNext: ChunkSource<unknown>["next"];
  readonly #upstream: StreamReader<unknown> | undefined;
  #last: Promise<Result> | undefined = undefined;
  /** Reads that wait for a shallower stack. */
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

  /** After a cancellation the end of the source is not the end of what the node has to say: nobody may take it for that. */
  next(): Promise<Result> {
    if (this.#cancelled !== undefined) return Promise.reject(streamCancelled(this.#cancelled.reason));
    const pulled = isDeep() || this.#postponed > 0 ? this.#pullLater() : this.#pullNow();
    this.#last = pulled;
    return pulled;
  }

  /** A line of many nodes that stream reads from inside of reads: see `nesting`. */
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

  /** A loop was left early. */
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

/** The same stream, which its run now knows of. (Nothing can go wrong with an array.) */
export function traced(
  source: ChunkSource<unknown>,
  upstream: StreamReader<unknown> | undefined,
  task: Task,
): ChunkSource<unknown> {
  if (source instanceof ArraySource) return source;
  task.isStreaming = true;
  const stream = new NodeStream(source, upstream, task);
  task.owner.addStream(stream);
  return stream;
}
