import { streamCancelled, writerClosed } from "../errors.js";
import { Queue } from "./queue.js";
import { type ChunkSource, ended } from "./source.js";

type Answer<T> = (result: IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>>) => void;

interface PendingWrite<T> {
  readonly chunk: T;
  readonly resolve: (taken: boolean) => void;
}

/** Both ends of a pipe: a bounded buffer between one writer and one reader. */
export class PipeSource<T> implements ChunkSource<T> {
  private readonly capacity: number;
  private readonly buffer = new Queue<T>();
  private readonly reads = new Queue<Answer<T>>();
  private readonly writes = new Queue<PendingWrite<T>>();
  private closed = false;
  private cancelled = false;
  private failure: { readonly error: unknown } | undefined = undefined;
  /** One shared promise for all writes that need not wait. */
  private accepted: Promise<boolean> | undefined = undefined;
  private readonly wait: (answer: Answer<T>) => void = this.reads.push.bind(this.reads);

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.buffer.size > 0) return Promise.resolve(this.takeBuffered());
    if (this.closed || this.cancelled) return this.afterEnd();
    return new Promise(this.wait);
  }

  cancel(reason?: unknown): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.failure = undefined;
    this.buffer.clear();
    for (let write = this.writes.shift(); write !== undefined; write = this.writes.shift()) write.resolve(false);
    this.answerAll(() => Promise.reject(streamCancelled(reason)));
  }

  /** Resolves to true when the chunk is buffered or read, and to false when the reader is gone. */
  write(chunk: T): Promise<boolean> {
    if (this.closed) return Promise.reject(writerClosed());
    if (this.cancelled) return Promise.resolve(false);
    const answer = this.reads.shift();
    if (answer !== undefined) answer({ done: false, value: chunk });
    else if (this.buffer.size < this.capacity) this.buffer.push(chunk);
    else return new Promise((resolve) => this.writes.push({ chunk, resolve }));
    this.accepted ??= Promise.resolve(true);
    return this.accepted;
  }

  /** Ends the stream after the written chunks, with a failure if one is given. Only the first call counts. */
  close(failure?: { readonly error: unknown }): void {
    if (this.closed) return;
    this.closed = true;
    if (this.cancelled) return;
    this.failure = failure;
    this.answerAll(() => this.afterEnd());
  }

  /** Takes a chunk from the buffer, and moves the oldest waiting write into it. */
  private takeBuffered(): IteratorResult<T, undefined> {
    const value = this.buffer.shift() as T;
    const write = this.writes.shift();
    if (write !== undefined) {
      this.buffer.push(write.chunk);
      write.resolve(true);
    }
    return { done: false, value };
  }

  private answerAll(result: () => Promise<IteratorResult<T, undefined>>): void {
    for (let answer = this.reads.shift(); answer !== undefined; answer = this.reads.shift()) answer(result());
  }

  private afterEnd(): Promise<IteratorResult<T, undefined>> {
    const { failure } = this;
    this.failure = undefined;
    return failure === undefined ? ended() : Promise.reject(failure.error);
  }
}
