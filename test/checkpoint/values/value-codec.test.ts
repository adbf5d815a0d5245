import { describe, expect, it } from "vitest";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { roundTrip } from "./round-trip.js";

describe("a saved value of plain JSON", () => {
  it.each([["a text"], [""], [0], [-1.5], [1e21], [true], [false], [null], [[]], [{}], [[null, [1, { a: "b" }]]]])(
    "comes back: %j",
    (value) => expect(roundTrip(value)).toStrictEqual(value),
  );

  it("is written as it is", () => {
    expect(new ValueCodec([]).encode({ count: 1, list: ["a", null] }, "state")).toBe(
      '{"json":{"count":1,"list":["a",null]}}',
    );
  });

  it.each([
    [{ json: 1 }],
    [{ graph: -1 }],
    [{ json: { graph: [1] } }],
    [{ graph: [["Date", "2020-01-01"]] }],
    [["Date", "2020-01-01"]],
    [["Class", 1]],
    [["Map", 0, 0]],
    [[-1, -2, -7]],
    [-1],
    [-6],
  ])("is never taken for the notation of other values: %j", (value) => {
    expect(roundTrip(value)).toStrictEqual(value);
    expect(roundTrip({ value, also: undefined })).toStrictEqual({ value, also: undefined });
  });

  it("may hold a toJSON that is data", () => {
    expect(roundTrip({ toJSON: "x" })).toStrictEqual({ toJSON: "x" });
  });

  it("keeps texts that are no well-formed Unicode", () => {
    expect(roundTrip("a\ud800b")).toBe("a\ud800b");
    expect(roundTrip(["a\ud800b", undefined, "\u2028<"])).toStrictEqual(["a\ud800b", undefined, "\u2028<"]);
  });
});

describe("a saved value", () => {
  it.each([[undefined], [Number.NaN], [Infinity], [-Infinity], [-0], [0n], [-(2n ** 70n)]])("keeps %s", (value) => {
    expect(Object.is(roundTrip(value), value)).toBe(true);
    expect(roundTrip([value, { value }])).toStrictEqual([value, { value }]);
  });

  it("keeps the largest bigints and patterns that are not too long to read", () => {
    const largest = 2n ** 262_144n;
    expect(roundTrip([largest - 1n, -largest])).toStrictEqual([largest - 1n, -largest]);
    expect(roundTrip(new RegExp("a".repeat(32_768), "u")).source).toHaveLength(32_768);
  });

  it("keeps dates, also those that are no date", () => {
    for (const time of [8.64e15, -8.64e15, -62_198_755_200_000])
      expect(roundTrip(new Date(time))).toStrictEqual(new Date(time));
    expect(roundTrip(new Date(1234567890123))).toStrictEqual(new Date(1234567890123));
    expect(roundTrip(new Date(-1e14))).toStrictEqual(new Date(-1e14));
    expect(roundTrip(new Date(Number.NaN)).getTime()).toBeNaN();
  });

  it("keeps maps and sets in their order, with keys of any kind", () => {
    const key = { id: 1 };
    const map = new Map<unknown, unknown>([
      [key, "record"],
      ["b", new Set([2, 1])],
      [undefined, null],
      [Number.NaN, key],
    ]);
    const copy = roundTrip(map);
    expect([...copy]).toStrictEqual([...map]);
    expect([...copy.keys()][0]).toBe(copy.get(Number.NaN));
  });

  it("keeps regular expressions, addresses and search parameters", () => {
    expect(roundTrip(/a\/"b/giu)).toStrictEqual(/a\/"b/giu);
    expect(roundTrip(new URL("https://example.org/a?b=c#d")).href).toBe("https://example.org/a?b=c#d");
    expect(roundTrip(new URLSearchParams("a=1&a=2")).getAll("a")).toEqual(["1", "2"]);
  });

  it("keeps objects around primitives", () => {
    expect(roundTrip([Object(1), Object("a"), Object(true), Object(1n)])).toStrictEqual([
      Object(1),
      Object("a"),
      Object(true),
      Object(1n),
    ]);
  });

  it("keeps the holes of lists", () => {
    const list = [1, undefined, 3];
    delete list[0];
    const copy = roundTrip(list);
    expect(copy).toStrictEqual(list);
    expect(0 in copy).toBe(false);
    expect(1 in copy).toBe(true);
    expect(roundTrip(new Array(3))).toStrictEqual(new Array(3));
  });

  it("keeps a list of four thousand million holes in a few bytes", () => {
    const list: unknown[] = [];
    list[4_000_000_000] = { last: true };
    const text = new ValueCodec([]).encode(list, "state");
    expect(text.length).toBeLessThan(100);
    const copy = roundTrip(list);
    expect(copy.length).toBe(4_000_000_001);
    expect(copy[4_000_000_000]).toStrictEqual({ last: true });
    expect(Object.keys(copy)).toEqual(["4000000000"]);
  });

  it("keeps records without a prototype", () => {
    const record = Object.assign(Object.create(null), { a: 1, b: Object.create(null) });
    const copy = roundTrip(record);
    expect(copy).toStrictEqual(record);
    expect(Object.getPrototypeOf(copy)).toBe(null);
  });

  it("keeps keys that every object inherits as keys of its own", () => {
    const record = { constructor: 1, toString: undefined, hasOwnProperty: new Date(0), then: null, length: 3 };
    expect(roundTrip(record)).toStrictEqual(record);
  });

  it("leaves out what cannot be enumerated", () => {
    const record = Object.defineProperty({ a: 1 }, "hidden", { value: () => 1, enumerable: false });
    expect(roundTrip(record)).toStrictEqual({ a: 1 });
  });
});

describe("bytes", () => {
  it.each([
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
  ])("of %o come back", (Type) => {
    const value = new Type([1, 2, 250]);
    expect(roundTrip(value)).toStrictEqual(value);
    expect(roundTrip(new Type([]))).toStrictEqual(new Type([]));
  });

  it("of big integers come back", () => {
    expect(roundTrip(new BigInt64Array([-1n, 2n]))).toStrictEqual(new BigInt64Array([-1n, 2n]));
    expect(roundTrip(new BigUint64Array([2n ** 63n]))).toStrictEqual(new BigUint64Array([2n ** 63n]));
  });

  it("of an ArrayBuffer and a DataView come back", () => {
    const buffer = new Uint8Array([1, 2, 3, 4]).buffer;
    expect(new Uint8Array(roundTrip(buffer))).toStrictEqual(new Uint8Array([1, 2, 3, 4]));
    const view = roundTrip(new DataView(buffer, 1, 2));
    expect([view.byteLength, view.getUint8(0), view.getUint8(1)]).toEqual([2, 2, 3]);
  });

  it("of a Buffer come back as a Uint8Array", () => {
    for (const buffer of [Buffer.from("grüße"), Buffer.alloc(70_000, 7)]) {
      expect(roundTrip(buffer)).toStrictEqual(new Uint8Array(buffer));
    }
  });

  it("that a view does not show are not saved", () => {
    const all = new TextEncoder().encode("secret, public, secret");
    const shown = all.subarray(8, 14);
    const text = new ValueCodec([]).encode({ shown }, "state");
    expect(new ValueCodec([]).decode(JSON.parse(text), "state")).toStrictEqual({ shown: new Uint8Array(shown) });
    expect(text.length).toBeLessThan(new ValueCodec([]).encode({ all }, "state").length);
  });

  it("that are shared between threads come back unshared", () => {
    const view = new Uint8Array(new SharedArrayBuffer(2));
    view[0] = 9;
    const copy = roundTrip(view);
    expect(copy).toStrictEqual(new Uint8Array([9, 0]));
    expect(copy.buffer).toBeInstanceOf(ArrayBuffer);
  });

  it("stay shared by views that show all of them", () => {
    const buffer = new ArrayBuffer(4);
    const copy = roundTrip({ bytes: new Uint8Array(buffer), view: new DataView(buffer), buffer });
    copy.view.setUint8(2, 5);
    expect(copy.bytes[2]).toBe(5);
    expect(copy.bytes.buffer).toBe(copy.buffer);
  });
});

describe("sharing", () => {
  it("is kept within a value", () => {
    const shared = { n: 1 };
    const copy = roundTrip({ a: shared, b: [shared], m: new Map([[shared, shared]]), s: new Set([shared]) });
    expect(copy.a).toStrictEqual({ n: 1 });
    expect(copy.b[0]).toBe(copy.a);
    expect(copy.m.get(copy.a)).toBe(copy.a);
    expect(copy.s.has(copy.a)).toBe(true);
  });

  it("is kept between plain records and lists too", () => {
    const [record, list] = [{ n: 1 }, ["a"]];
    const copy = roundTrip({ a: record, b: record, c: [list, list] });
    expect(copy).toStrictEqual({ a: record, b: record, c: [list, list] });
    expect(copy.b).toBe(copy.a);
    expect(copy.c[1]).toBe(copy.c[0]);
  });

  it("is kept for dates, bytes and lists with holes", () => {
    const [date, bytes, list] = [new Date(0), Buffer.from("x"), new Array(3)];
    const copy = roundTrip([date, date, bytes, bytes, list, list]);
    expect(copy[0]).toBe(copy[1]);
    expect(copy[2]).toBe(copy[3]);
    expect(copy[4]).toBe(copy[5]);
  });

  it("is kept in cycles through records, lists, maps and sets", () => {
    const record: Record<string, unknown> = {};
    const list: unknown[] = [record];
    const map = new Map<unknown, unknown>([["list", list]]);
    const set = new Set<unknown>([map]);
    Object.assign(record, { record, set });
    map.set(map, set);
    const copy = roundTrip(record);
    const [copiedMap] = copy.set as Set<Map<unknown, unknown>>;
    expect(copy.record).toBe(copy);
    const copiedList = copiedMap?.get("list");
    expect(Array.isArray(copiedList) && copiedList.length === 1 && copiedList[0] === copy).toBe(true);
    expect(copiedMap?.get(copiedMap)).toBe(copy.set);
  });

  it("of equal but different objects is not made up", () => {
    const copy = roundTrip([{ n: 1n }, { n: 1n }]);
    expect(copy[0]).not.toBe(copy[1]);
  });
});

describe("getters", () => {
  it("are read once, and come back as data", () => {
    let reads = 0;
    const value = {
      get now() {
        reads++;
        return reads;
      },
    };
    expect(roundTrip(value)).toStrictEqual({ now: 1 });
    expect(reads).toBe(1);
  });
});
