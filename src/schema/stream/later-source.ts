import { ArraySource } from "./array-source.js";
import type { ChunkSource } from "./source.js";

/** A source that is still to come, such as one that code makes which is being loaded. */
export class LaterSource<T> implements ChunkSource<T> {
  readonly #coming: Promise<ChunkSource<T>>;
  #source: ChunkSource<T> | undefined;

  constructor(coming: Promise<ChunkSource<T>>) {
    this.#coming = coming;
    coming.then(
      (source) => {
        this.#source = source;
      },
      () => {
        this.#source = new ArraySource<T>([]);
      },
    );
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#source?.next() ?? this.#coming.then((source) => source.next());
  }

  cancel(reason?: unknown): void {
    this.#coming.then((source) => source.cancel(reason), ignore);
  }
}

function ignore(): void {}
