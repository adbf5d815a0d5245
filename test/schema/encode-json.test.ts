import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeJson } from "../../src/schema/encode-json.js";
import { toolOutputOf } from "../../src/tools/define/tool-output.js";

const json = (value: unknown) => JSON.stringify(encodeJson(value));

describe("values that JSON lacks", () => {
  const circular: Record<string, unknown> = { name: "ring" };
  circular.self = circular;
  const shared = { a: 1 };
  class Point {
    x = 1;
    get y() {
      return 2;
    }
  }
  class Money {
    toJSON() {
      return { amount: 5n };
    }
  }
  it.each<[string, unknown, string]>([
    ["a bigint", { n: 12345678901234567890n }, '{"n":"12345678901234567890"}'],
    ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["an invalid date", [new Date(Number.NaN)], "[null]"],
    ["a map of texts", new Map([["a", new Set([1])]]), '{"a":[1]}'],
    [
      "another map",
      new Map<unknown, unknown>([
        [1, "a"],
        [{ b: 2n }, "c"],
      ]),
      '[[1,"a"],[{"b":"2"},"c"]]',
    ],
    ["a set", new Set([1, new Date(0)]), '[1,"1970-01-01T00:00:00.000Z"]'],
    [
      "an error",
      { error: new RangeError("far", { cause: "x" }) },
      '{"error":{"name":"RangeError","message":"far","cause":"x"}}',
    ],
    [
      "fields of an error",
      Object.assign(new Error("no"), { code: "E1" }),
      '{"name":"Error","message":"no","code":"E1"}',
    ],
    ["bytes", new Uint8Array([1, 2, 255]), '"AQL/"'],
    ["a buffer", new Uint8Array([104, 105]).buffer, '"aGk="'],
    ["a typed array", { samples: new Float32Array([0.5, 1]) }, '{"samples":[0.5,1]}'],
    ["a value in itself", circular, '{"name":"ring","self":"[Circular]"}'],
    ["a value that is there twice", [shared, shared], '[{"a":1},{"a":1}]'],
    ["functions and symbols", { f: () => 1, s: Symbol("s"), list: [() => 1] }, '{"list":[null]}'],
    ["an instance of a class", new Point(), '{"x":1}'],
    ["what toJSON gives", new Money(), '{"amount":"5"}'],
    ["an address", new URL("https://example.com/a"), '"https://example.com/a"'],
    ["a record without prototype", Object.assign(Object.create(null), { a: 1n }), '{"a":"1"}'],
    ["not a number", { n: Number.NaN }, '{"n":null}'],
    ["odd keys", JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
  ])("%s", (_name, value, text) => {
    expect(json(value)).toBe(text);
  });

  it("keep odd keys also beside what must be changed", () => {
    const value: Record<string, unknown> = JSON.parse('{"__proto__":1}');
    value.big = 1n;
    expect(json(value)).toBe('{"__proto__":1,"big":"1"}');
  });

  it("may be nested deeply, in a ring or not", () => {
    let deep: unknown = 1n;
    for (let depth = 0; depth < 200; depth++) deep = { deep };
    expect(json(deep)).toContain('"1"');
    const ring: unknown[] = [];
    let inner = ring;
    for (let depth = 0; depth < 100; depth++) {
      const next: unknown[] = [];
      inner.push(next);
      inner = next;
    }
    inner.push(ring);
    expect(json(ring)).toContain("[Circular]");
  });
});

it("gives what needs no change back itself, and never changes what it gets", () => {
  const plain = { a: [1, { b: "x" }, null], c: true };
  expect(encodeJson(plain)).toBe(plain);
  const mixed = { same: { a: 1 }, changed: { at: new Date(0) } };
  const encoded = encodeJson(mixed) as typeof mixed;
  expect(encoded.same).toBe(mixed.same);
  expect(mixed.changed.at).toBeInstanceOf(Date);
});

it("says the same as JSON.stringify for everything that JSON has", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(json(value)).toBe(JSON.stringify(value));
    }),
  );
});

it("can always be stringified", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      expect(() => json(value)).not.toThrow();
    }),
  );
});

describe("what a model reads of a value", () => {
  const note = { jsonText: undefined };
  it.each<[unknown, string]>([
    ["text", "text"],
    ["", ""],
    [undefined, ""],
    [null, "null"],
    [0, "0"],
    [false, "false"],
    [5n, '"5"'],
    [() => 1, ""],
    [Symbol("x"), ""],
    [["a"], '["a"]'],
  ])("%s", (value, text) => {
    expect(toolOutputOf(value, note)).toBe(text);
  });
});
