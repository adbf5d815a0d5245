/** Whether two values are deeply equal. An undefined property equals a missing one; instances must have the same class. */
export function deepEqual(actual: unknown, expected: unknown): boolean {
  return new Comparison().same(actual, expected);
}

class Comparison {
  /** The pairs being compared further out: cycles are equal if they lead back to the same pair. */
  readonly #open = new Map<object, object>();

  same(actual: unknown, expected: unknown): boolean {
    if (Object.is(actual, expected)) return true;
    if (typeof actual !== "object" || typeof expected !== "object" || actual === null || expected === null)
      return false;
    if (this.#open.has(actual)) return this.#open.get(actual) === expected;
    this.#open.set(actual, expected);
    const equal = this.#sameObjects(actual, expected);
    this.#open.delete(actual);
    return equal;
  }

  #sameObjects(actual: object, expected: object): boolean {
    if (Array.isArray(actual) && Array.isArray(expected)) return this.#sameLists(actual, expected);
    if (Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return false;
    if (actual instanceof Date && expected instanceof Date) return actual.getTime() === expected.getTime();
    if (actual instanceof Map && expected instanceof Map) return this.#sameLists([...actual], [...expected]);
    if (actual instanceof Set && expected instanceof Set) return this.#sameLists([...actual], [...expected]);
    if (actual instanceof Error && expected instanceof Error && actual.message !== expected.message) return false;
    return this.#sameFields(actual, expected);
  }

  #sameLists(actual: readonly unknown[], expected: readonly unknown[]): boolean {
    if (actual.length !== expected.length) return false;
    for (let index = 0; index < actual.length; index++) if (!this.same(actual[index], expected[index])) return false;
    return true;
  }

  #sameFields(actual: object, expected: object): boolean {
    const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
    for (const key of keys) if (!this.same(Reflect.get(actual, key), Reflect.get(expected, key))) return false;
    return true;
  }
}
