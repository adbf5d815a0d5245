import { chunkJoining } from "../concat/chunk-joining.js";
import { untilJoinable } from "../concat/load-message-joining.js";
import { messageJoining } from "../concat/message-joining.js";
import type { ChunkSource } from "./source.js";

/** Delays the end of a source until its chunks can be joined synchronously. */
export function joinableSource<T>(source: ChunkSource<T>): ChunkSource<T> {
  return messageJoining.part === undefined || chunkJoining.part === undefined ? new JoinableSource(source) : source;
}

class JoinableSource<T> implements ChunkSource<T> {
  readonly #source: ChunkSource<T>;
  #isDecided = false;
  #loading: Promise<unknown> | undefined = undefined;

  constructor(source: ChunkSource<T>) {
    this.#source = source;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const result = this.#source.next();
    return this.#isDecided && this.#loading === undefined ? result : this.#look(result);
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
  }

  /** Decides by the first chunk that has a value. */
  async #look(pending: Promise<IteratorResult<T, undefined>>): Promise<IteratorResult<T, undefined>> {
    const result = await pending;
    if (result.done) await (this.#loading ?? untilJoinable([]));
    else if (!this.#isDecided && result.value !== undefined && result.value !== null) {
      this.#isDecided = true;
      this.#loading = untilJoinable([result.value]);
      this.#loading?.then(undefined, ignore);
    }
    return result;
  }
}

/** The error is not lost: the read of the end awaits the same promise. */
function ignore(): void {}
