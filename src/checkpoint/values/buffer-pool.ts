/** Limits of the memory that an idle store keeps: eight buffers of 4 kB. */
const most = 8;
const largest = 4_096;

/** Buffers that rows no longer use, for new rows: allocating memory costs more than the rest of a write. */
export class BufferPool {
  readonly #pieces: Uint8Array[] = [];

  /** Returns a buffer of at least this many bytes, with arbitrary content. */
  take(needed: number): Uint8Array {
    const pieces = this.#pieces;
    for (let n = pieces.length - 1; n >= 0; n--) {
      const piece = pieces[n];
      if (piece === undefined || !hasRoom(piece, needed)) continue;
      const last = pieces.pop();
      if (last !== undefined && last !== piece) pieces[n] = last;
      return piece;
    }
    return new Uint8Array(needed);
  }

  /** Returns a buffer to the pool. The caller must not use it afterwards. */
  give(piece: Uint8Array): void {
    if (this.#pieces.length < most && piece.length <= largest) this.#pieces.push(piece);
  }
}

/** Whether a buffer is large enough, but at most twice as large as needed. */
export function hasRoom(piece: Uint8Array, needed: number): boolean {
  return needed <= piece.length && piece.length <= 2 * needed;
}
