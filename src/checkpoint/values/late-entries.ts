import { Pending } from "./pending.js";

/**
 * Fills maps and sets in order, also when some of what belongs into them does not exist yet. Nobody ever sees a
 * {@link Pending} in them: until it exists, a value of a map is `undefined`, and a key or member is not there.
 */
export class LateEntries {
  /** What belongs into those in which something was missing, in order. */
  readonly #sets = new Map<Set<unknown>, Set<unknown>>();
  readonly #maps = new Map<Map<unknown, unknown>, Map<unknown, unknown>>();

  addValue(set: Set<unknown>, value: unknown): void {
    if (!(value instanceof Pending)) {
      set.add(value);
      this.#sets.get(set)?.add(value);
      return;
    }
    const whole = getOrAdd(this.#sets, set, () => new Set(set));
    if (!whole.has(value)) value.whenKnown(() => refillSet(set, whole));
    whole.add(value);
  }

  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    if (!(key instanceof Pending || value instanceof Pending)) {
      map.set(key, value);
      this.#maps.get(map)?.set(key, value);
      return;
    }
    const whole = getOrAdd(this.#maps, map, () => new Map(map));
    if (!(key instanceof Pending)) map.set(key, undefined);
    else if (!whole.has(key)) key.whenKnown(() => refillMap(map, whole));
    whole.set(key, value);
    if (!(value instanceof Pending)) return;
    value.whenKnown((instance) => {
      if (isKnown(key) && whole.get(key) === value) map.set(known(key), instance);
    });
  }
}

function refillSet(set: Set<unknown>, whole: ReadonlySet<unknown>): void {
  set.clear();
  for (const value of whole) if (isKnown(value)) set.add(known(value));
}

function refillMap(map: Map<unknown, unknown>, whole: ReadonlyMap<unknown, unknown>): void {
  map.clear();
  for (const [key, value] of whole) if (isKnown(key)) map.set(known(key), known(value));
}

const isKnown = (value: unknown): boolean => !(value instanceof Pending) || value.instance !== undefined;

const known = (value: unknown): unknown => (value instanceof Pending ? value.instance : value);

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
