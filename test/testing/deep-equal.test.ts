import { describe, expect, it } from "vitest";
import { deepEqual } from "../../src/testing/deep-equal.js";

class Point {
  readonly x: number;

  constructor(x: number) {
    this.x = x;
  }
}

const ring = (): object => {
  const value: Record<string, unknown> = { name: "ring" };
  value.self = value;
  return value;
};

describe("deepEqual", () => {
  it.each([
    ["NaN", Number.NaN, Number.NaN],
    ["lists", [1, [2]], [1, [2]]],
    ["a hole and undefined", new Array(1), [undefined]],
    ["a field that is undefined and none", { a: 1, b: undefined }, { a: 1 }],
    ["instances of a class", new Point(1), new Point(1)],
    ["dates", new Date(5), new Date(5)],
    ["maps", new Map([["a", [1]]]), new Map([["a", [1]]])],
    ["sets", new Set([1, 2]), new Set([1, 2])],
    ["errors with one message", new Error("a"), new Error("a")],
    ["cycles", ring(), ring()],
    ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  ])("finds %s equal", (_what, actual, expected) => {
    expect(deepEqual(actual, expected)).toBe(true);
  });

  it.each([
    ["0 and -0", 0, -0],
    ["a number and its text", 1, "1"],
    ["null and undefined", null, undefined],
    ["lists of different length", [1], [1, 2]],
    ["lists of different order", [1, 2], [2, 1]],
    ["a list and a record", [1], { 0: 1 }],
    ["a missing field", { a: 1 }, { a: 1, b: 2 }],
    ["one more field", { a: 1, b: 2 }, { a: 1 }],
    ["different classes", new Point(1), { x: 1 }],
    ["different dates", new Date(5), new Date(6)],
    ["maps with different values", new Map([["a", 1]]), new Map([["a", 2]])],
    ["different sets", new Set([1]), new Set([2])],
    ["errors with different messages", new Error("a"), new Error("b")],
    ["a cycle and none", ring(), { name: "ring", self: { name: "ring" } }],
    ["different bytes", new Uint8Array([1, 2]), new Uint8Array([1, 3])],
    ["an object and null", {}, null],
  ])("finds %s different", (_what, actual, expected) => {
    expect(deepEqual(actual, expected)).toBe(false);
  });
});
