import { compareTexts } from "./compare-texts.js";

/** A result of a search. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

export function compareHits(one: Hit, other: Hit): number {
  return other.score - one.score || compareTexts(one.id, other.id);
}

/** Collects the best hits, in order. */
export class TopResults<Found extends Hit> {
  readonly hits: Found[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  /** The score below which a hit cannot get in. */
  get least(): number {
    return this.hits.length < this.#count ? Number.NEGATIVE_INFINITY : (this.hits.at(-1)?.score ?? 0);
  }

  add(hit: Found): void {
    let [low, high] = [0, this.hits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.hits[middle];
      if (other !== undefined && compareHits(other, hit) < 0) low = middle + 1;
      else high = middle;
    }
    if (low >= this.#count) return;
    this.hits.splice(low, 0, hit);
    if (this.hits.length > this.#count) this.hits.pop();
  }
}
