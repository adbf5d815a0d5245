/** A store that has nothing to do keeps no more than that: eight pieces of 4 kB. */
const most = 8;
const largest = 4_096;

/** Memory that rows have let go of, for rows to come: to get new memory costs more than all the rest of a write. */
export class BufferPool {
  readonly #pieces: Uint8Array[] = [];

  /** Memory for so many bytes, perhaps with more room, and with anything in it. */
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

  /** Nobody else may have this memory any more. */
  give(piece: Uint8Array): void {
    if (this.#pieces.length < most && piece.length <= largest) this.#pieces.push(piece);
  }
}

/** Whether a piece can take so many bytes, and is not much larger than it needs to be. */
export function hasRoom(piece: Uint8Array, needed: number): boolean {
  return needed <= piece.length && piece.length <= 2 * needed;
}
