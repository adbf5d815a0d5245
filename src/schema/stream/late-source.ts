import { type ChunkSource, ended } from "./source.js";

/**
 * A source that a part of the library makes which is not loaded yet. It is made at the first read; cancelled before, it lets go
 * of what it would have been made of.
 */
export class LateSource<T> implements ChunkSource<T> {
  readonly #make: () => Promise<ChunkSource<T>>;
  readonly #release: (reason: unknown) => void;
  #making: Promise<ChunkSource<T>> | undefined = undefined;
  #made: ChunkSource<T> | undefined = undefined;
  #closed = false;

  constructor(make: () => Promise<ChunkSource<T>>, release: (reason: unknown) => void) {
    this.#make = make;
    this.#release = release;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#made !== undefined) return this.#made.next();
    if (this.#closed) return ended();
    return this.#source().then((source) => source.next());
  }

  cancel(reason?: unknown): void {
    if (this.#made !== undefined) {
      this.#made.cancel(reason);
    } else if (this.#making !== undefined) {
      this.#making.then((source) => source.cancel(reason), ignore);
    } else if (!this.#closed) {
      this.#closed = true;
      this.#release(reason);
    }
  }

  get settling(): Promise<void> | undefined {
    return this.#making?.then(({ settling }) => settling, ignore);
  }

  #source(): Promise<ChunkSource<T>> {
    if (this.#making === undefined) {
      this.#making = this.#make();
      // before the reads that wait, so that later ones cannot overtake them
      this.#making.then(
        (source) => {
          this.#made = source;
        },
        (error: unknown) => {
          this.#making = undefined;
          this.cancel(error);
        },
      );
    }
    return this.#making;
  }
}

function ignore(): void {}
