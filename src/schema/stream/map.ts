import { isPromiseLike } from "../../is.js";
import { ArraySource } from "./array-source.js";
import { SerialSource } from "./serial-source.js";
import { type ChunkSource, type ReadySource, readChunk } from "./source.js";

/** One function of a mapped stream. */
export interface MapStep {
  /** Returns the new chunk, or a promise of it; `DROPPED` to leave the chunk out. */
  readonly apply: (chunk: never, ctx: never) => unknown;
  /** The second argument of `apply`. */
  readonly ctx?: unknown;
  /** Leaves out chunks for which `apply` returns undefined. */
  readonly drop?: boolean;
  /** Maps an error thrown by `apply`. */
  readonly wrap?: (error: unknown) => unknown;
  /** Called at the end of the source. If it throws, the stream fails instead of ending. */
  readonly atEnd?: () => void;
}

/** Returned by `apply` to leave a chunk out. */
export const DROPPED: unique symbol = Symbol("dropped");

/**
 * Maps a source. Adjacent maps are fused, so that a chunk takes one promise however many there are. The given source must not be
 * read afterwards.
 */
export function mapSource(source: ChunkSource<unknown>, step: MapStep): ChunkSource<unknown> {
  return source instanceof MapSource && !source.started ? source.andThen(step) : new MapSource(source, [step]);
}

/** Listens to the end of a stream, without an extra promise. */
export interface MapEnd {
  /** If it throws, the error goes to `failed`, and the stream fails instead of ending. */
  readonly done: () => void;
  /** Returns the error to reject with. */
  readonly failed: (error: unknown) => Promise<unknown>;
}

/** Adds a listener for the end; `undefined` if the source is not a mapped one, or was already read. */
export function endMap(source: ChunkSource<unknown>, end: MapEnd): ChunkSource<unknown> | undefined {
  return source instanceof MapSource && !source.started ? source.endingWith(end) : undefined;
}

type Result = IteratorResult<unknown, undefined>;

class MapSource extends SerialSource<unknown> implements ReadySource<unknown> {
  private readonly source: ChunkSource<unknown>;
  private readonly steps: readonly MapStep[];
  private onResult: ((result: Result) => Result | Promise<Result>) | undefined;
  private onError: ((error: unknown) => never | Promise<never>) | undefined;
  private readonly listener: MapEnd | undefined;

  constructor(source: ChunkSource<unknown>, steps: readonly MapStep[], end?: MapEnd) {
    super();
    this.source = source;
    this.steps = steps;
    this.listener = end;
  }

  get started(): boolean {
    return this.onResult !== undefined;
  }

  andThen(step: MapStep): MapSource {
    return new MapSource(this.source, [...this.steps, step]);
  }

  endingWith(end: MapEnd): MapSource {
    return new MapSource(this.source, this.steps, end);
  }

  /** Reads without promises, if the source is an array and the functions are synchronous. */
  read(): Result | Promise<Result> {
    if (!(this.source instanceof ArraySource && this.begin())) return this.next();
    this.bind();
    try {
      const result = this.onResult?.(this.source.read()) as Result | Promise<Result>;
      return result instanceof Promise ? this.track(result) : result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  protected override pull(): Promise<Result> {
    if (this.onResult === undefined) this.bind();
    return this.source.next().then(this.onResult, this.onError);
  }

  protected override stop(reason: unknown): void {
    this.source.cancel(reason);
  }

  /** Called at the first read, so that a chain that is only built, fused or cancelled creates no closures. */
  private bind(): void {
    const { listener: end } = this;
    this.onResult ??= end === undefined ? (result) => this.mapResult(result) : (result) => this.mapToEnd(result, end);
    this.onError ??= this.failed.bind(this);
  }

  private failed(error: unknown): Promise<never> {
    this.finish();
    if (this.listener !== undefined) return raise(this.listener, error);
    throw error;
  }

  private mapToEnd(result: Result, end: MapEnd): Result | Promise<Result> {
    try {
      const mapped = this.mapResult(result);
      if (mapped instanceof Promise) return tellEnd(mapped, end);
      if (mapped.done) end.done();
      return mapped;
    } catch (error) {
      return raise(end, error);
    }
  }

  private mapResult(result: Result): Result | Promise<Result> {
    this.checkOpen();
    if (result.done) return this.end(result);
    const value = this.run(result.value, 0);
    if (value === DROPPED || isPromiseLike(value)) return this.readOn(value);
    this.settle();
    return { done: false, value };
  }

  /** The slow path: awaits a step's promise, and reads on while chunks are dropped. It loops to keep the stack flat. */
  private async readOn(first: unknown): Promise<Result> {
    for (let value = first; ; ) {
      if (isPromiseLike(value)) value = await value;
      this.checkOpen();
      if (value !== DROPPED) {
        this.settle();
        return { done: false, value };
      }
      const result = await this.pullRaw();
      this.checkOpen();
      if (result.done) return this.end(result);
      value = this.run(result.value, 0);
    }
  }

  private end(result: Result): Result {
    this.finish();
    for (const step of this.steps) step.atEnd?.();
    return result;
  }

  private pullRaw(): Result | Promise<Result> {
    const pulled = readChunk(this.source);
    return pulled instanceof Promise ? pulled.then(undefined, this.onError) : pulled;
  }

  /** Applies all steps from `index` on. Returns the new chunk, `DROPPED`, or a promise of one of them. */
  private run(chunk: unknown, index: number): unknown {
    const { steps } = this;
    let value = chunk;
    for (let i = index; i < steps.length; i++) {
      const step = steps[i] as MapStep;
      try {
        value = step.apply(value as never, step.ctx as never);
      } catch (error) {
        this.fail(step, error);
      }
      if (isPromiseLike(value)) return this.wait(value, step, i + 1);
      if (value === DROPPED || (value === undefined && step.drop === true)) return DROPPED;
    }
    return value;
  }

  private async wait(promise: PromiseLike<unknown>, step: MapStep, nextIndex: number): Promise<unknown> {
    let value: unknown;
    try {
      value = await promise;
    } catch (error) {
      this.fail(step, error);
    }
    return value === DROPPED || (value === undefined && step.drop === true) ? DROPPED : this.run(value, nextIndex);
  }

  private fail(step: MapStep, thrown: unknown): never {
    const error = step.wrap === undefined ? thrown : step.wrap(thrown);
    if (this.isOpen) {
      this.finish();
      this.source.cancel(error);
    }
    throw error;
  }
}

async function tellEnd(mapping: Promise<Result>, end: MapEnd): Promise<Result> {
  try {
    const result = await mapping;
    if (result.done) end.done();
    return result;
  } catch (error) {
    return raise(end, error);
  }
}

async function raise(end: MapEnd, error: unknown): Promise<never> {
  throw await end.failed(error);
}
