import type { Slot } from "../../checkpoint/document/snapshot.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import { whenReady } from "../async.js";
import type { Body } from "../body.js";
import { oneChunk } from "../streams/joining.js";
import type { Task } from "../task.js";

type Result = IteratorResult<unknown, undefined>;

/**
 * A stream that keeps every chunk, for a run that can be resumed. Cancelling its reader does not cancel the node: a run that
 * pauses needs the rest.
 */
export class KeptStream {
  readonly joining: Joining | undefined;
  readonly chunks: unknown[] = [];
  /** It has been read to its end. */
  ended = false;
  failure: { readonly error: unknown } | undefined = undefined;
  readonly #source: ChunkSource<unknown>;
  readonly #atEnd: (() => void) | undefined;
  readonly #onResult: (result: Result) => Result;
  readonly #onError: (error: unknown) => never;
  #listener: (() => void) | undefined = undefined;
  /** The read in progress. */
  #pull: Promise<Result> | undefined = undefined;

  /** `atEnd` is called at the end; if it throws, the stream fails instead. */
  constructor(given: StreamReader<unknown>, atEnd?: () => void) {
    this.joining = given.joining;
    this.#source = given.takeSource();
    this.#atEnd = atEnd;
    this.#onResult = this.#take.bind(this);
    this.#onError = this.#fail.bind(this);
    if (!(this.#source instanceof ArraySource)) return;
    this.chunks = [...this.#source.rest()];
    this.ended = true;
  }

  /** A reader of all chunks, from the first one. */
  read(): StreamReader<unknown> {
    const source = this.#source instanceof ArraySource ? this.#source.fork() : new KeptSource(this);
    return new StreamReader<unknown>(source, this.joining);
  }

  /** Calls back at its end; never if it has ended already. */
  whenEnded(listener: () => void): void {
    this.#listener = listener;
  }

  /** Reads the rest. An error is kept in {@link failure}, not thrown. */
  async drain(): Promise<void> {
    while (!this.ended && this.failure === undefined) await this.#next().then(undefined, ignore);
  }

  /** Cancels the rest, if it is not complete. */
  release(reason: unknown): void {
    if (!this.ended && this.failure === undefined) this.#source.cancel(reason);
  }

  /** All chunks as one value. */
  whole(): unknown {
    return joinChunks(this.chunks, this.joining);
  }

  chunkAt(index: number): Promise<Result> {
    if (index < this.chunks.length) return Promise.resolve({ done: false, value: this.chunks[index] });
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    if (this.ended) return ended();
    const next = this.#next();
    return index === this.chunks.length ? next : next.then(() => this.chunkAt(index));
  }

  /** A single `then` on the source, so that nodes start in the same order as in a run without a ledger. */
  #next(): Promise<Result> {
    this.#pull ??= this.#source.next().then(this.#onResult, this.#onError);
    return this.#pull;
  }

  #take(result: Result): Result {
    this.#pull = undefined;
    if (result.done !== true) {
      this.chunks.push(result.value);
      return result;
    }
    try {
      this.#atEnd?.();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
    this.ended = true;
    this.#listener?.();
    return result;
  }

  #fail(error: unknown): never {
    this.#pull = undefined;
    this.failure ??= { error };
    throw error;
  }
}

class KeptSource implements ChunkSource<unknown> {
  readonly #kept: KeptStream;
  #index = 0;
  #hasFailed = false;

  constructor(kept: KeptStream) {
    this.#kept = kept;
  }

  /** Rejects with an error only once; then it has ended. */
  next(): Promise<Result> {
    if (this.#hasFailed) return ended();
    this.#hasFailed = this.#kept.failure !== undefined && this.#index >= this.#kept.chunks.length;
    return this.#kept.chunkAt(this.#index++);
  }

  cancel(): void {}
}

/** A kept intermediate result of an invocation: that of `before` or of a mapping, or the node's output for `after`. */
type PartName = "prepared" | "produced";

/** An intermediate result: kept from an earlier execution of the invocation if that has asked something, else made now. */
export function keptOrMade(name: PartName, make: Body, input: unknown, task: Task): unknown {
  const kept = keptPart(name, task.openedInvocation);
  if (kept === undefined) {
    const made = make(input, task);
    if (!(made instanceof Promise) || mayBeStream(name, task))
      return whenReady(made, (ready) => keep(name, ready, task));
    // no promise is added, so that nodes side by side end in the same order as in a run without a ledger
    made.then((ready) => void keep(name, ready, task), ignore);
    return made;
  }
  if (!(input instanceof StreamReader)) return kept.value;
  void input.cancel();
  return oneChunk(kept.value, undefined);
}

/** In a run on values only the output of a node whose `streamAfter` takes it unjoined. */
function mayBeStream(name: PartName, { owner, index }: Task): boolean {
  return owner.mode !== "invoke" || (name === "produced" && owner.node(index).settings.streamAfter !== undefined);
}

function keep(name: PartName, made: unknown, task: Task): unknown {
  const { invocation } = task;
  if (!(made instanceof StreamReader)) {
    // a node that has asked something has no output yet
    if (name === "prepared" || !invocation.hasStopped) invocation[name] = { value: made };
    return made;
  }
  const kept = new KeptStream(made, () => task.scope.throwIfAborted());
  invocation.keepStream(name, kept);
  return kept.read();
}

function keptPart(name: PartName, invocation: Invocation | undefined): Slot | undefined {
  return invocation?.isRestored === true && invocation.hasQuestions ? invocation[name] : undefined;
}

/** Waits for what an invocation has started, also in graphs that go on while their stream is read, and reads its kept streams. */
export async function settleKept(
  invocation: Invocation | undefined,
  settling: Promise<void> | undefined,
): Promise<void> {
  await settling;
  for (const run of invocation?.liveRuns() ?? []) await run.settle();
  for (const [name, stream] of invocation?.keptStreams ?? []) {
    await stream.drain();
    if (stream.ended && invocation !== undefined) invocation[name] = { value: stream.whole() };
  }
}

function ignore(): void {}
