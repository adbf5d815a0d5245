/**
 * Whether two values have the same shape: equal content, of the same classes, in the same order, and shared in the same
 * places. Knows the classes that {@link import("./any-graph.js")} makes.
 */
export function sameGraph(actual: unknown, expected: unknown): boolean {
  return new Comparison().same(actual, expected);
}

class Comparison {
  readonly #partners = new Map<object, object>();
  readonly #taken = new Set<object>();

  same(actual: unknown, expected: unknown): boolean {
    if (typeof actual !== "object" || typeof expected !== "object" || actual === null || expected === null) {
      return Object.is(actual, expected);
    }
    const partner = this.#partners.get(expected);
    if (partner !== undefined || this.#taken.has(actual)) return partner === actual;
    this.#partners.set(expected, actual);
    this.#taken.add(actual);
    if (Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return false;
    return this.#sameContent(actual, expected) && this.#sameProperties(actual, expected);
  }

  #sameContent(actual: object, expected: object): boolean {
    if (expected instanceof Map)
      return this.#sameList([...(actual as Map<unknown, unknown>)].flat(), [...expected].flat());
    if (expected instanceof Set) return this.#sameList([...(actual as Set<unknown>)], [...expected]);
    if (expected instanceof Date) return Object.is((actual as Date).getTime(), expected.getTime());
    if (expected instanceof RegExp || expected instanceof URL) return String(actual) === String(expected);
    if (expected instanceof ArrayBuffer) return this.#sameList(bytesOf(actual as ArrayBuffer), bytesOf(expected));
    if (ArrayBuffer.isView(expected)) return this.same((actual as ArrayBufferView).buffer, expected.buffer);
    return true;
  }

  #sameList(actual: readonly unknown[], expected: readonly unknown[]): boolean {
    return actual.length === expected.length && expected.every((item, index) => this.same(actual[index], item));
  }

  #sameProperties(actual: object, expected: object): boolean {
    const keys = ArrayBuffer.isView(expected) ? [] : Reflect.ownKeys(expected);
    if (!ArrayBuffer.isView(actual) && Reflect.ownKeys(actual).length !== keys.length) return false;
    return keys.every((key) => {
      const [mine, theirs] = [actual, expected].map((value) => Object.getOwnPropertyDescriptor(value, key));
      return mine?.enumerable === theirs?.enumerable && this.same(mine?.value, theirs?.value);
    });
  }
}

const bytesOf = (buffer: ArrayBuffer): readonly number[] => [...new Uint8Array(buffer)];
