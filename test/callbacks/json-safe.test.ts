import fc from "fast-check";
import { KumikoError, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { jsonSafe } from "../../src/callbacks/json-safe.js";

class Point {
  readonly x = 1;
  get y(): number {
    throw new Error("no y");
  }
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

describe("jsonSafe", () => {
  it("keeps plain JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(jsonSafe(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ["undefined", undefined, undefined],
    ["NaN", Number.NaN, "NaN"],
    ["infinity", Number.NEGATIVE_INFINITY, "-Infinity"],
    ["a bigint", 12n, "12"],
    ["a symbol", Symbol("tag"), "Symbol(tag)"],
    ["a function", function run() {}, "[Function run]"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date("?"), "[Invalid Date]"],
    ["a map", new Map([["a", new Set([1])]]), [["a", [1]]]],
    ["a set", new Set(["a", 1n]), ["a", "1"]],
    ["bytes", new Uint8Array(3), "[Uint8Array 3 bytes]"],
    ["a stream", StreamReader.from([1]), "[StreamReader]"],
    ["a promise", Promise.resolve(1), "[Promise]"],
    ["a URL", new URL("https://example.com/a"), "https://example.com/a"],
    ["an object of a class", new Point(), { x: 1 }],
    [
      "a getter that throws",
      Object.defineProperty({}, "y", { enumerable: true, get: () => new Point().y }),
      { y: "[Threw: no y]" },
    ],
    [
      "a toJSON that throws",
      {
        toJSON: () => {
          throw new Error("no form");
        },
      },
      "[Threw: no form]",
    ],
    ["a hole", new Array(1), [null]],
    [
      "an error",
      new TypeError("wrong", { cause: "because" }),
      { name: "TypeError", message: "wrong", cause: "because" },
    ],
    [
      "an error with a code",
      Object.assign(new Error("gone"), { code: "ENOENT", path: "/" }),
      { name: "Error", message: "gone", code: "ENOENT" },
    ],
    [
      "an error of the library",
      new KumikoError("NODE_FAILED", "wrong", { nodePath: ["a"] }),
      { name: "KumikoError", code: "NODE_FAILED", message: "wrong", nodePath: ["a"] },
    ],
  ])("gives a form to %s", (_title, value, expected) => {
    expect(jsonSafe(value)).toEqual(expected);
  });

  it("marks cycles, and copies what merely occurs twice", () => {
    const shared = { a: 1 };
    const value: Record<string, unknown> = { first: shared, second: shared };
    value.self = [value];
    expect(jsonSafe(value)).toEqual({ first: { a: 1 }, second: { a: 1 }, self: ["[Circular]"] });
  });

  it("does not mistake a key __proto__ for the prototype", () => {
    const copy = jsonSafe(JSON.parse('{ "__proto__": { "admin": true } }'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it("survives an object that refuses everything", () => {
    expect(jsonSafe([revoked.proxy])).toEqual([expect.stringMatching(/^\[Threw: /)]);
  });

  it("ends at a depth that no stack fears", () => {
    let value: unknown = "bottom";
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(JSON.stringify(jsonSafe(value))).toContain("…");
  });

  it("looks at so many values only, if told so", () => {
    expect(jsonSafe([1, 2, 3, 4], { maxValues: 3 })).toEqual([1, 2, "…"]);
    expect(jsonSafe({ a: 1, b: 2, c: 3 }, { maxValues: 3 })).toEqual({ a: 1, b: 2, "…": "…" });
  });
});
