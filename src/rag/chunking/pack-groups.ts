import { endOfCut, endOfPack, fits, type Sizing, sizeOf } from "./sizing.js";
import { type FoundChunk, type TextSpan, trimSpan } from "./span.js";

/**
 * Units of a text, such as paragraphs or sentences, which stay whole if they fit into a chunk. Chunks hold units of one group, and
 * may begin with the last units of the group before.
 */
export interface Group {
  readonly units: readonly TextSpan[];
  /** Whether the next chunk must not begin inside this group. */
  readonly isClosed?: boolean;
  /** The metadata of a chunk that ends in this group. */
  readonly metadataOf?: (chunk: TextSpan) => FoundChunk["metadata"];
}

/** Finds where the parts of a unit begin, in ascending order, for overlaps that are smaller than the unit. */
export type FindParts = (unit: TextSpan) => readonly number[];

/**
 * Fills chunks with as many whole units as fit. A chunk begins with as many whole units from the end of the one before as fit into
 * the overlap and leave room for the next unit; if no unit does, with parts of the last one. Units that are too large are cut.
 */
export function packGroups(sizing: Sizing, groups: readonly Group[], findParts: FindParts = () => []): FoundChunk[] {
  const packer = new Packer(sizing, findParts);
  for (const group of groups) packer.add(group);
  return packer.found;
}

class Packer {
  readonly found: FoundChunk[] = [];
  readonly #sizing: Sizing;
  readonly #findParts: FindParts;
  /** Where the units begin that the next chunk may begin with. */
  #starts: number[] = [];
  /** The last chunk, and its last unit. */
  #last: { readonly chunk: TextSpan; readonly unit: TextSpan } | undefined;

  constructor(sizing: Sizing, findParts: FindParts) {
    this.#sizing = sizing;
    this.#findParts = findParts;
  }

  add(group: Group): void {
    const { units, isClosed = false } = group;
    for (let next = 0; next < units.length; ) {
      const unit = units[next];
      if (unit === undefined) break;
      next = fits(this.#sizing, unit) ? this.#addUnits(group, unit, next) : this.#addPieces(group, unit, next);
    }
    if (!isClosed) return;
    this.#starts = [];
    this.#last = undefined;
  }

  #addUnits(group: Group, unit: TextSpan, first: number): number {
    const { units } = group;
    const start = this.#startBefore(unit);
    const next = endOfPack(this.#sizing, units, first, start);
    const last = units[next - 1] ?? unit;
    if (!this.#isBlank({ start: unit.start, end: last.end })) this.#push(group, { start, end: last.end }, last);
    for (const { start: one } of units.slice(first, next)) this.#starts.push(one);
    return next;
  }

  #addPieces(group: Group, unit: TextSpan, index: number): number {
    const { start, end } = this.#sizing.strip ? trimSpan(this.#sizing.text, unit) : unit;
    let [from, covered] = [start, start];
    while (covered < end) {
      const to = endOfCut(this.#sizing, from, end);
      if (to <= covered) {
        from = covered; // the next grapheme does not fit beside the overlap
        continue;
      }
      const piece = { start: from, end: to };
      if (!this.#isBlank({ start: covered, end: to })) this.#push(group, piece, piece);
      covered = to;
      from = this.#startOfPiece(piece);
    }
    return index + 1;
  }

  #push(group: Group, chunk: TextSpan, unit: TextSpan): void {
    const metadata = group.metadataOf?.(chunk);
    this.found.push(metadata === undefined ? chunk : { ...chunk, metadata });
    this.#last = { chunk, unit };
  }

  #isBlank(span: TextSpan): boolean {
    const { start, end } = trimSpan(this.#sizing.text, span);
    return start === end;
  }

  /** Where a chunk begins whose first new unit is given: at the first unit or part of the last chunk that is allowed. */
  #startBefore(unit: TextSpan): number {
    if (this.#last === undefined || this.#sizing.overlap === 0) return unit.start;
    const { chunk, unit: last } = this.#last;
    const shared = this.#sharedEnd(chunk);
    // beginning any earlier would repeat the whole chunk
    const first = trimSpan(this.#sizing.text, chunk).start;
    const isAllowed = (start: number): boolean =>
      this.#overlaps(start, shared) && fits(this.#sizing, { start, end: unit.end });
    const ofUnits = firstWhere(this.#starts, isAllowed, firstAbove(this.#starts, first));
    if (ofUnits !== undefined && ofUnits < shared) return ofUnits;
    const parts = this.#findParts({ start: Math.max(last.start, chunk.start), end: chunk.end });
    const ofParts = firstWhere(parts, isAllowed, firstAbove(parts, first));
    return ofParts !== undefined && ofParts < shared ? ofParts : unit.start;
  }

  /** Where the piece after another one of the same unit begins. */
  #startOfPiece(piece: TextSpan): number {
    const { text, overlap, graphemes } = this.#sizing;
    if (overlap === 0) return piece.end;
    const shared = this.#sharedEnd(piece);
    let [low, high] = [trimSpan(text, piece).start + 1, piece.end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#overlaps(middle, shared)) high = middle;
      else low = middle + 1;
    }
    const start = graphemes.nextAt(text, low, piece.end);
    return start < shared && this.#overlaps(start, shared) ? start : piece.end;
  }

  #sharedEnd(chunk: TextSpan): number {
    return this.#sizing.strip ? trimSpan(this.#sizing.text, chunk).end : chunk.end;
  }

  /** Whether a chunk that begins at `start` shares no more than the overlap with the one before. */
  #overlaps(start: number, end: number): boolean {
    const { text, strip, overlap } = this.#sizing;
    const span = { start, end };
    return start >= end || sizeOf(this.#sizing, strip ? trimSpan(text, span) : span) <= overlap;
  }
}

/** The index of the first number above `least` in an ascending list. */
function firstAbove(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first number from an index on that is allowed, where those after an allowed one are allowed too. */
function firstWhere(
  numbers: readonly number[],
  isAllowed: (number: number) => boolean,
  from: number,
): number | undefined {
  let [low, high] = [from, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAllowed(numbers[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  // sizes in tokens are not quite monotonic
  while (low < numbers.length && !isAllowed(numbers[low] ?? 0)) low++;
  return numbers[low];
}
