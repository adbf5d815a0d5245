import { queryTermsOf, termsOf } from "./terms.js";

/** Full-text search with BM25 ranking. */
export class WordIndex {
  /** Term frequencies, by term and document id. */
  readonly #postings = new Map<string, Map<string, number>>();
  readonly #lengths = new Map<string, number>();
  #total = 0;

  add(id: string, document: string): void {
    const terms = termsOf(document);
    this.#lengths.set(id, terms.length);
    this.#total += terms.length;
    for (const term of terms) {
      const counts = this.#postings.get(term) ?? new Map<string, number>();
      this.#postings.set(term, counts);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }

  remove(id: string, document: string): void {
    this.#total -= this.#lengths.get(id) ?? 0;
    this.#lengths.delete(id);
    for (const term of new Set(termsOf(document))) {
      const counts = this.#postings.get(term);
      counts?.delete(id);
      if (counts?.size === 0) this.#postings.delete(term);
    }
  }

  /** Returns the scores of the documents that contain at least one of the words, by id. */
  find(query: string): Map<string, number> {
    const scores = new Map<string, number>();
    const count = this.#lengths.size;
    const average = this.#total / Math.max(1, count);
    for (const term of queryTermsOf(query)) {
      const counts = this.#postings.get(term);
      if (counts === undefined) continue;
      const rarity = Math.log(1 + (count - counts.size + 0.5) / (counts.size + 0.5));
      for (const [id, frequency] of counts) {
        const length = (this.#lengths.get(id) ?? 0) / average;
        const weight = (frequency * (saturation + 1)) / (frequency + saturation * (1 - evenness + evenness * length));
        scores.set(id, (scores.get(id) ?? 0) + rarity * weight);
      }
    }
    return scores;
  }
}

/** The constants `k1` and `b` of BM25, with their usual values. */
const saturation = 1.2;
const evenness = 0.75;
