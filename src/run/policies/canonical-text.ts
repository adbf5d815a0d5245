import type { AnyClassCodec } from "../../checkpoint/values/class-codec.js";

/**
 * A string that is equal for equal values, whatever the order of their fields. `undefined` for values without one: functions,
 * streams, instances of classes without a codec, cyclic values.
 */
export function canonicalText(value: unknown, codecs: readonly AnyClassCodec[]): string | undefined {
  try {
    return new Canonical(codecs).text(value);
  } catch (error) {
    if (error === noText) return undefined;
    throw error;
  }
}

const noText = Symbol("no text");

class Canonical {
  readonly #codecs: readonly AnyClassCodec[];
  readonly #around = new Set<object>();

  constructor(codecs: readonly AnyClassCodec[]) {
    this.#codecs = codecs;
  }

  text(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "number":
        return Object.is(value, -0) ? "-0" : String(value);
      case "boolean":
      case "undefined":
        return String(value);
      case "bigint":
        return `${value}n`;
      case "object":
        return value === null ? "null" : this.#guarded(value);
      default:
        throw noText;
    }
  }

  #guarded(value: object): string {
    if (this.#around.has(value)) throw noText;
    this.#around.add(value);
    const text = this.#object(value);
    this.#around.delete(value);
    return text;
  }

  #object(value: object): string {
    const codec = this.#codecs.find(({ type }) => value.constructor === type);
    if (codec !== undefined) return `${codec.name}(${this.text(codec.encode(value as never))})`;
    if (Array.isArray(value)) return `[${Array.from(value, (item) => this.text(item)).join()}]`;
    if (value instanceof Date) return `Date(${value.getTime()})`;
    if (value instanceof RegExp || value instanceof URL)
      return `${value.constructor.name}(${JSON.stringify(String(value))})`;
    if (value instanceof Map) return `Map(${this.#entries(value)})`;
    if (value instanceof Set) return `Set(${Array.from(value, (item) => this.text(item)).join()})`;
    if (value instanceof ArrayBuffer) return `bytes(${[...new Uint8Array(value)].join()})`;
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return `${value.constructor.name}(${bytes.join()})`;
    }
    return this.#record(value);
  }

  #entries(map: ReadonlyMap<unknown, unknown>): string {
    return Array.from(map, ([key, item]) => `${this.text(key)}:${this.text(item)}`).join();
  }

  #record(value: object): string {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw noText;
    if (Object.getOwnPropertySymbols(value).length > 0) throw noText;
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${this.text(item)}`).join()}}`;
  }
}
