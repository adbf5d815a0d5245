import { Pending } from "./pending.js";

/**
 * Fills maps and sets in order, also when some of their entries do not exist yet. They never contain a {@link Pending}: until the
 * instance exists, a map value is `undefined`, and a key or set member is missing.
 */
export class LateEntries {
  /** The complete content, in order, of those in which something was missing. */
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
