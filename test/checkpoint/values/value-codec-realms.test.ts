import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { thrownBy } from "../../compose/thrown-by.js";
import { roundTrip } from "./round-trip.js";

describe("a value of another realm, as sandboxes of test runners and edge runtimes have them", () => {
  it.each([
    ["records and lists", "({ a: [1, { b: 2 }] })", { a: [1, { b: 2 }] }],
    ["lists with holes", "[, 1]", Object.assign(new Array(2), { 1: 1 })],
    ["dates", "new Date(5)", new Date(5)],
    ["maps and sets", "new Map([['a', new Set([1n])]])", new Map([["a", new Set([1n])]])],
    ["regular expressions", "/a/g", /a/g],
    ["bytes", "new Uint8Array([1, 2])", new Uint8Array([1, 2])],
    ["parts of bytes", "new Uint16Array([1, 2, 3]).subarray(1)", new Uint16Array([2, 3])],
    ["objects around primitives", "[new Number(1), new String('a')]", [Object(1), Object("a")]],
  ])("comes back in this one: %s", (_what, code, expected) => {
    expect(roundTrip(runInNewContext(code))).toStrictEqual(expected);
  });

  it("comes back in this one: errors", () => {
    const copy = roundTrip(
      runInNewContext("Object.assign(new TypeError('bad', { cause: new RangeError('x') }), { code: 1 })"),
    );
    expect(copy).toBeInstanceOf(TypeError);
    expect(copy.cause).toBeInstanceOf(RangeError);
    expect([copy.message, copy.code, Object.keys(copy)]).toEqual(["bad", 1, ["code"]]);
  });

  it.each([
    ["a class", "new (class Order {})()"],
    ["a subclass", "new (class Cache extends Map {})()"],
    ["a class called like a built-in one", "new (class Map {})()"],
    ["a function", "() => 1"],
    ["a promise", "Promise.resolve(1)"],
  ])("is refused when it is or is made by %s", (_what, code) => {
    const error = thrownBy(() => new ValueCodec([]).encode({ value: runInNewContext(code) }, "state"));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("state: value cannot be saved");
  });
});
