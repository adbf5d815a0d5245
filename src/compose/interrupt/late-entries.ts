import { Pending } from "./pending.js";

/**
 * Fills maps and sets in order, also when some of what belongs into them does not exist yet. Nobody ever sees a
 * {@link Pending} in them.
 */
export class LateEntries {
  readonly #sets = new Map<Set<unknown>, unknown[]>();
  readonly #maps = new Map<Map<unknown, unknown>, [unknown, unknown][]>();

  addValue(set: Set<unknown>, value: unknown): void {
    const values = this.#sets.get(set) ?? (value instanceof Pending ? [...set] : undefined);
    if (values === undefined) {
      set.add(value);
      return;
    }
    values.push(value);
    this.#sets.set(set, values);
    if (value instanceof Pending) value.whenKnown(() => refillSet(set, values));
    else set.add(value);
  }

  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    const isLate = key instanceof Pending || value instanceof Pending;
    const entries = this.#maps.get(map) ?? (isLate ? [...map] : undefined);
    if (entries === undefined) {
      map.set(key, value);
      return;
    }
    entries.push([key, value]);
    this.#maps.set(map, entries);
    for (const late of [key, value]) if (late instanceof Pending) late.whenKnown(() => refillMap(map, entries));
    refillMap(map, entries);
  }
}

function refillSet(set: Set<unknown>, values: readonly unknown[]): void {
  set.clear();
  for (const value of values) if (isKnown(value)) set.add(known(value));
}

function refillMap(map: Map<unknown, unknown>, entries: readonly (readonly [unknown, unknown])[]): void {
  map.clear();
  for (const [key, value] of entries) if (isKnown(key)) map.set(known(key), known(value));
}

const isKnown = (value: unknown): boolean => !(value instanceof Pending) || value.instance !== undefined;

const known = (value: unknown): unknown => (value instanceof Pending ? value.instance : value);
