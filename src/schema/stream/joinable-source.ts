import { untilJoinable } from "../concat/load-message-joining.js";
import { messageJoining } from "../concat/message-joining.js";
import type { ChunkSource } from "./source.js";

/** The same chunks; when the end is given, whoever has seen them all can join them at once. */
export function joinableSource<T>(source: ChunkSource<T>): ChunkSource<T> {
  return messageJoining() === undefined ? new JoinableSource(source) : source;
}

class JoinableSource<T> implements ChunkSource<T> {
  readonly #source: ChunkSource<T>;
  #isDecided = false;
  #loading: Promise<void> | undefined = undefined;

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

  /** The first chunk that is something decides. */
  async #look(pending: Promise<IteratorResult<T, undefined>>): Promise<IteratorResult<T, undefined>> {
    const result = await pending;
    if (result.done) await this.#loading;
    else if (!this.#isDecided && result.value !== undefined && result.value !== null) {
      this.#isDecided = true;
      this.#loading = untilJoinable([result.value]);
      this.#loading?.then(undefined, ignore);
    }
    return result;
  }
}

/** Told to whoever waits for the end. */
function ignore(): void {}
