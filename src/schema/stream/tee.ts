import { leftEarly } from "../errors.js";
import { PipeSource } from "./pipe-source.js";
import type { ChunkSource } from "./source.js";
import { watchSource } from "./watch.js";

export interface Tee<T> {
  /** For the consumer that drives the stream. */
  readonly main: ChunkSource<T>;
  /** For those that look on. */
  readonly observers: readonly ChunkSource<T>[];
}

/**
 * Lets observers see what the main consumer reads. Reading an observer never pulls the source; what it has not read yet is
 * kept for it until it is cancelled. It ends or fails as the main stream does, and fails when that one is left early.
 */
export function teeSource<T>(source: ChunkSource<T>, observers: number): Tee<T> {
  const pipes = Array.from({ length: observers }, () => new PipeSource<T>(Number.POSITIVE_INFINITY));
  const closeAll = (failure?: { readonly error: unknown }): void => {
    for (const pipe of pipes) pipe.close(failure);
  };
  const main = watchSource(source, {
    onChunk: (chunk) => {
      for (const pipe of pipes) void pipe.write(chunk);
    },
    onDone: () => closeAll(),
    onError: (error) => closeAll({ error }),
    onCancel: (reason) => closeAll({ error: leftEarly(reason) }),
  });
  return { main, observers: pipes };
}
