import type { ChunkSource } from "./source.js";

/** Stands where a source was taken away or cancelled: every read rejects and says why. */
export class RefusingSource implements ChunkSource<never> {
  private readonly makeError: () => unknown;

  constructor(makeError: () => unknown) {
    this.makeError = makeError;
  }

  next(): Promise<never> {
    return Promise.reject(this.makeError());
  }

  cancel(): void {}
}
