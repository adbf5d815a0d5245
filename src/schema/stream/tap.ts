import type { ChunkSource } from "./source.js";

/** Observes a stream. Hooks must not throw. Of `onDone`, `onError` and `onCancel`, only the first to happen is called, once. */
export interface StreamHooks<in T> {
  readonly onChunk?: ((chunk: T) => void) | undefined;
  readonly onDone: () => void;
  readonly onError: (error: unknown) => void;
  readonly onCancel: (reason: unknown) => void;
}

/** Observes a source without copying it: the promises of reads are passed on as they are. */
export function tapSource<T>(source: ChunkSource<T>, hooks: StreamHooks<T>): ChunkSource<T> {
  return new TappedSource(source, hooks);
}

class TappedSource<T> implements ChunkSource<T> {
  private readonly source: ChunkSource<T>;
  private readonly hooks: StreamHooks<T>;
  private readonly onResult: (result: IteratorResult<T, undefined>) => void;
  private readonly onError: (error: unknown) => void;
  private over = false;

  constructor(source: ChunkSource<T>, hooks: StreamHooks<T>) {
    this.source = source;
    this.hooks = hooks;
    this.onResult = this.passed.bind(this);
    this.onError = this.failed.bind(this);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const promise = this.source.next();
    if (!this.over) promise.then(this.onResult, this.onError);
    return promise;
  }

  cancel(reason?: unknown): void {
    this.source.cancel(reason);
    if (this.over) return;
    this.over = true;
    this.hooks.onCancel(reason);
  }

  private passed(result: IteratorResult<T, undefined>): void {
    if (this.over) return;
    if (!result.done) {
      this.hooks.onChunk?.(result.value);
      return;
    }
    this.over = true;
    this.hooks.onDone();
  }

  private failed(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.hooks.onError(error);
  }
}
