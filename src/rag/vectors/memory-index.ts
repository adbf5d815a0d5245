import { type Fields, isFields } from "../../is.js";
import { WordIndex } from "../../words/word-index.js";
import { norm } from "../vector-math.js";
import { compareTexts } from "./compare-texts.js";
import { dotProducts, squaredDistances } from "./compare-vectors.js";
import { unknownVectorEntry } from "./errors.js";
import type { Comparison, Condition, FilterValue, MetadataPath } from "./filter.js";
import type { DeleteRequest, EntryChange, EntryRow, IndexSettings } from "./requests.js";
import { type Hit, TopResults } from "./top-results.js";

interface Entry {
  readonly id: string;
  readonly document: string;
  readonly metadata: Fields;
}

/** An index in memory. All vectors are in one typed array, which is fast to scan. */
export class MemoryIndex {
  readonly settings: IndexSettings;
  /** 0 if the index holds words only. */
  readonly #dimension: number;
  readonly #entries: Entry[] = [];
  readonly #places = new Map<string, number>();
  #vectors: Float32Array;
  #norms: number[] = [];
  readonly #texts = new WordIndex();

  constructor(settings: IndexSettings) {
    this.settings = settings;
    this.#dimension = settings.dimension ?? 0;
    this.#vectors = new Float32Array(16 * this.#dimension);
  }

  get count(): number {
    return this.#entries.length;
  }

  get(id: string): Entry | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#entries[place];
  }

  vectorOf(id: string): number[] {
    const dimension = this.#dimension;
    const start = (this.#places.get(id) ?? 0) * dimension;
    return Array.from(this.#vectors.subarray(start, start + dimension));
  }

  put({ id, vector, document, metadata }: EntryRow): void {
    const before = this.get(id);
    const place = this.#places.get(id) ?? this.#entries.length;
    if (this.settings.text) {
      if (before !== undefined) this.#texts.remove(id, before.document);
      this.#texts.add(id, document);
    }
    this.#entries[place] = { id, document, metadata: JSON.parse(metadata) };
    this.#places.set(id, place);
    if (vector !== undefined) this.#putVector(place, vector);
  }

  update(indexName: string, { id, vector, document, metadata }: EntryChange): void {
    const before = this.get(id);
    if (before === undefined) throw unknownVectorEntry(indexName, id);
    this.put({
      id,
      vector: vector ?? (this.#dimension === 0 ? undefined : Float32Array.from(this.vectorOf(id))),
      document: document ?? before.document,
      metadata: metadata ?? JSON.stringify(before.metadata),
    });
  }

  delete({ ids, condition }: DeleteRequest): number {
    const gone = ids ?? this.#entries.filter((entry) => fitsCondition(entry, condition)).map(({ id }) => id);
    return gone.filter((id) => this.#remove(id)).length;
  }

  /** Moves the last entry to the place of the removed one. */
  #remove(id: string): boolean {
    const place = this.#places.get(id);
    const entry = place === undefined ? undefined : this.#entries[place];
    if (place === undefined || entry === undefined) return false;
    if (this.settings.text) this.#texts.remove(id, entry.document);
    const dimension = this.#dimension;
    const last = this.#entries.length - 1;
    const moved = this.#entries[last];
    if (moved !== undefined && last !== place) {
      this.#entries[place] = moved;
      this.#places.set(moved.id, place);
      this.#vectors.copyWithin(place * dimension, last * dimension, (last + 1) * dimension);
      this.#norms[place] = this.#norms[last] ?? 0;
    }
    this.#entries.length = last;
    this.#norms.length = last;
    this.#places.delete(id);
    return true;
  }

  #putVector(place: number, vector: Float32Array): void {
    const dimension = this.#dimension;
    const needed = (place + 1) * dimension;
    if (this.#vectors.length < needed) {
      const larger = new Float32Array(Math.max(needed, this.#vectors.length * 2));
      larger.set(this.#vectors);
      this.#vectors = larger;
    }
    this.#vectors.set(vector, place * dimension);
    this.#norms[place] = norm(vector);
  }

  nearest(query: Float32Array, count: number, condition: Condition | undefined): Hit[] {
    const best = new TopResults<Hit>(count);
    const scoresOf = this.#scorer(query);
    let { least } = best;
    for (const places of this.#blocks(condition)) {
      const scores = scoresOf(places);
      for (let index = 0; index < places.length; index++) {
        const score = scores[index] ?? 0;
        const entry = this.#entries[places[index] ?? 0];
        if (score < least || entry === undefined) continue;
        best.add({ id: entry.id, score });
        least = best.least;
      }
    }
    return best.hits;
  }

  /** The places of matching entries, in blocks. */
  *#blocks(condition: Condition | undefined): Generator<Uint32Array, void, undefined> {
    const places = new Uint32Array(blockSize);
    let count = 0;
    for (let place = 0; place < this.#entries.length; place++) {
      const entry = this.#entries[place];
      if (entry === undefined || !fitsCondition(entry, condition)) continue;
      places[count++] = place;
      if (count < blockSize) continue;
      yield places;
      count = 0;
    }
    yield places.subarray(0, count);
  }

  withWords(query: string, count: number, condition: Condition | undefined): Hit[] {
    const best = new TopResults<Hit>(count);
    for (const [id, score] of this.#texts.find(query)) {
      const entry = this.get(id);
      if (entry !== undefined && fitsCondition(entry, condition) && score >= best.least) best.add({ id, score });
    }
    return best.hits;
  }

  matching(count: number, condition: Condition | undefined): Hit[] {
    const best = new TopResults<Hit>(count);
    for (const entry of this.#entries) if (fitsCondition(entry, condition)) best.add({ id: entry.id, score: 0 });
    return best.hits;
  }

  #scorer(query: Float32Array): (places: Uint32Array) => Float64Array {
    const { metric } = this.settings;
    const vectors = this.#vectors;
    switch (metric) {
      case "dotproduct":
        return (places) => dotProducts(vectors, query, places);
      case "cosine": {
        const length = norm(query);
        return (places) =>
          dotProducts(vectors, query, places).map((product, index) =>
            Math.max(-1, Math.min(1, product / (length * (this.#norms[places[index] ?? 0] ?? 1)))),
          );
      }
      case "euclidean":
        return (places) => squaredDistances(vectors, query, places).map((square) => 1 / (1 + Math.sqrt(square)));
      case undefined:
        return ({ length }) => new Float64Array(length); // no vectors: queries by vector are refused before
      default:
        return metric satisfies never;
    }
  }
}

const blockSize = 1_024;

function fitsCondition({ metadata }: Entry, condition: Condition | undefined): boolean {
  return condition === undefined || matches(metadata, condition);
}

/** Whether metadata meets a condition. */
function matches(metadata: Fields, condition: Condition): boolean {
  switch (condition.type) {
    case "and":
      return condition.conditions.every((inner) => matches(metadata, inner));
    case "or":
      return condition.conditions.some((inner) => matches(metadata, inner));
    case "not":
      return !matches(metadata, condition.condition);
    case "exists":
      return valueAt(metadata, condition.path) !== undefined;
    case "equals":
      return includes(condition.values, valueAt(metadata, condition.path));
    case "contains": {
      const list = valueAt(metadata, condition.path);
      return Array.isArray(list) && list.some((item: unknown) => includes([condition.value], item));
    }
    case "compare":
      return compare(valueAt(metadata, condition.path), condition.operator, condition.value);
    default:
      return condition satisfies never;
  }
}

/** Uses `===`, so values of different types never match, and 0 equals -0. */
const includes = (values: readonly FilterValue[], value: unknown): boolean => values.some((one) => one === value);

function valueAt(metadata: Fields, path: MetadataPath): unknown {
  let value: unknown = metadata;
  for (const key of path) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function compare(value: unknown, operator: Comparison, operand: string | number): boolean {
  if (typeof operand === "string") return typeof value === "string" && holds(compareTexts(value, operand), operator);
  return typeof value === "number" && holds(value - operand, operator);
}

function holds(order: number, operator: Comparison): boolean {
  switch (operator) {
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    default:
      return operator satisfies never;
  }
}
