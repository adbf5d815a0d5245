import type { ChunkSource } from "./source.js";

/** Replaces a source that was taken or cancelled: every read rejects with the reason. */
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
