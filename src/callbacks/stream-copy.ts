import { leftEarly, streamCancelled } from "../schema/errors.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";
import type { StreamHooks } from "../schema/stream/tap.js";

type Result<T> = IteratorResult<T, undefined>;

/** Receives the chunks of a stream as they pass. Its methods never throw. */
export interface StreamSink<in T> {
  readonly isOpen: boolean;
  write(chunk: T): void;
  end(): void;
  fail(error: unknown): void;
}

/**
 * The writing end of a handler's copy of a stream. Unread chunks are referenced by the reading end only, so a copy that its handler
 * has dropped takes no memory.
 */
export class StreamCopy<T> implements StreamSink<T> {
  /** The cell of the next chunk. */
  private tail = new Cell<T>();
  private state: "open" | "closed" = "open";
  private failure: unknown = undefined;

  get isOpen(): boolean {
    return this.state === "open";
  }

  /** Creates the reading end. To be called once, before the first write. */
  source(): ChunkSource<T> {
    return new CopySource(this, this.tail);
  }

  write(chunk: T): void {
    if (!this.isOpen) return;
    const cell = this.tail;
    this.tail = cell.following();
    cell.resolve({ done: false, value: chunk });
  }

  end(): void {
    if (!this.isOpen) return;
    this.state = "closed";
    this.endFrom(this.tail);
  }

  fail(error: unknown): void {
    if (!this.isOpen) return;
    this.state = "closed";
    this.failure = error;
    const cell = this.tail;
    this.endFrom(cell.following());
    cell.reject(error);
  }

  /** Whether an error is this copy's own failure, which its handler has passed on. */
  failedWith(error: unknown): boolean {
    return this.failure !== undefined && this.failure === error;
  }

  /** Ends all cells from here on, because overlapping reads may wait in several of them. */
  private endFrom(first: Cell<T>): void {
    for (let cell: Cell<T> | undefined = first; cell !== undefined; cell = cell.next) {
      cell.resolve({ done: true, value: undefined });
    }
  }
}

/** Hooks that write a stream to all copies. */
export function copyHooks(copies: readonly StreamSink<unknown>[]): StreamHooks<unknown> {
  const fail = (error: unknown): void => {
    for (const copy of copies) copy.fail(error);
  };
  return {
    onChunk: (chunk) => {
      for (const copy of copies) copy.write(chunk);
    },
    onDone: () => {
      for (const copy of copies) copy.end();
    },
    onError: fail,
    onCancel: (reason) => fail(leftEarly(reason)),
  };
}

class CopySource<T> implements ChunkSource<T> {
  private readonly copy: StreamCopy<T>;
  private cell: Cell<T> | undefined;

  constructor(copy: StreamCopy<T>, first: Cell<T>) {
    this.copy = copy;
    this.cell = first;
  }

  next(): Promise<Result<T>> {
    const { cell } = this;
    if (cell === undefined) return ended();
    this.cell = cell.isEnd ? undefined : cell.following();
    return cell.read();
  }

  cancel(reason?: unknown): void {
    this.cell = undefined;
    this.copy.fail(streamCancelled(reason));
  }
}

/** A node of a linked list: a chunk, the end, or the slot for one of them. */
class Cell<T> {
  next: Cell<T> | undefined = undefined;
  private result: Result<T> | undefined = undefined;
  private failure: { readonly error: unknown } | undefined = undefined;
  private waiting: PendingRead<T> | undefined = undefined;

  get isEnd(): boolean {
    return this.result?.done === true;
  }

  following(): Cell<T> {
    this.next ??= new Cell();
    return this.next;
  }

  read(): Promise<Result<T>> {
    if (this.result !== undefined) return Promise.resolve(this.result);
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  resolve(result: Result<T>): void {
    this.result = result;
    this.waiting?.resolve(result);
  }

  reject(error: unknown): void {
    this.failure = { error };
    this.waiting?.reject(error);
  }
}

interface PendingRead<T> {
  readonly resolve: (result: Result<T>) => void;
  readonly reject: (error: unknown) => void;
}
