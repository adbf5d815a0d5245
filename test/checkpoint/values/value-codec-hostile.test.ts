import type { KumikoError } from "kumiko";
import { describe, expect, it } from "vitest";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { thrownBy } from "../../compose/thrown-by.js";
import { graphCodecs, Person } from "./any-graph.js";

const codec = new ValueCodec(graphCodecs);
const read = (document: unknown): unknown => codec.decode(JSON.parse(JSON.stringify(document)), 'state of "agent"');

function refused(document: unknown): KumikoError {
  const error = thrownBy(() => codec.decode(document, 'state of "agent"'));
  expect(error.code).toBe("CHECKPOINT_UNREADABLE");
  expect(error.message).toContain('state of "agent" cannot be read from the checkpoint');
  return error;
}

describe("a document that no codec wrote", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "x"],
    ["a number", -1],
    ["a list", []],
    ["an empty record", {}],
    ["another record", { value: 1 }],
    ["two values", { json: 1, graph: -1 }],
    ["a value and more", { json: 1, more: 1 }],
    ["an inherited value", Object.create({ json: 1 })],
  ])("is unreadable when it is %s", (_what, document) => {
    refused(document);
  });

  it.each([
    ["no list", { "0": 1 }],
    ["a text", "[1]"],
    ["an empty list", []],
    ["a number that stands for nothing", -2],
    ["a reference", 0],
    ["a reference to nowhere", [{ a: 1 }]],
    ["half a reference", [{ a: 0.5 }, 1]],
    ["a negative reference", [[-8]]],
    ["a hole in a record", [{ a: -2 }]],
    ["a text for a reference", [{ a: "0" }]],
    ["a key __proto__", JSON.parse('[{ "__proto__": 1 }, { "polluted": 2 }, true]')],
    ["a key __proto__ without a prototype", [["null", "__proto__", 1], {}]],
    ["an unknown tag", [["Function", 1], "return 1"]],
    ["a tag of a prototype", [["toString", 1], "x"]],
    ["a date that is no date", [["Date", "tomorrow"]]],
    ["a date that is a number", [["Date", 5]]],
    ["a number that is no number", [["BigInt", "0x10"]]],
    ["bytes that are no Base64", [["ArrayBuffer", "_-$="]]],
    ["a view of a length", [["Uint8Array", 1], 4_000_000_000]],
    ["a view of a list", [["Float64Array", 1], [2], 1e9]],
    [
      "a view of a part",
      [
        ["Uint8Array", 1, 0, 1e9],
        ["ArrayBuffer", "AAAA"],
      ],
    ],
    [
      "a view whose bytes do not fit",
      [
        ["Float64Array", 1],
        ["ArrayBuffer", "AAAA"],
      ],
    ],
    ["an address that is none", [["URL", "x"]]],
    ["a pattern that is none", [["RegExp", "("]]],
    ["a pattern with flags that are none", [["RegExp", "a", "xx"]]],
    ["a box around an object", [["Object", 1], {}]],
    ["a list of another length", [[-7, 2 ** 32, 0, 1], 1]],
    ["a list with a place behind its end", [[-7, 2, 2, 1], 1]],
    ["a list with a place that is none", [[-7, 5, "__proto__", 1], {}]],
    ["half an entry", [["Map", 1], 1]],
    ["an instance without data", [["Class", 1], [2], "person"]],
    ["an instance that is its own data", [["Class", 0]]],
    ["an instance with a hole for data", [["Class", 1], [2, -2], "person"]],
    ["an instance whose name is no text", [["Class", 1], [2, 2], 5]],
    [
      "an instance whose name is an inherited one",
      [
        ["Class", 1],
        [1, 1],
      ],
    ],
    ["an error of no known type", [["Error", 1], [2, 3, 3, 3], "Function", {}]],
    ["an error of an inherited type", [["Error", 1], [2, 3, 3, 3], "constructor", {}]],
    ["an error without fields", [["Error", 1], [2, 3, 3, -1], "Error", {}]],
    ["an error with a hole for fields", [["Error", 1], [2, 3, 3, -2], "Error", {}]],
    ["an error whose stack is no text", [["Error", 1], [2, 4, 3, 3], "Error", {}, { stack: 3 }]],
    ["an error that leads elsewhere", [["Error", 1], [2, 3, 4, 3], "Error", {}, { constructor: 3 }]],
    ["a record with a key that is no text", [["Record", 1], [2, 3], true, [2, 2]]],
    ["a record that is its own key", [["Record", 1], [2, 3], true, [0, 2]]],
  ])("is unreadable when its graph is %s", (_what, graph) => {
    refused({ graph });
  });

  it.each([
    ["a bigint", [["BigInt", "9".repeat(10_000_000)]]],
    ["a date", [["Date", "1".repeat(10_000_000)]]],
    ["a date of another form", [["Date", `2020-01-01${" ".repeat(10_000_000)}`]]],
    ["a pattern", [["RegExp", `[${"\\p{L}".repeat(2_000_000)}]`, "u"]]],
    [
      "a boxed bigint",
      [
        ["Object", 1],
        ["BigInt", "9".repeat(10_000_000)],
      ],
    ],
  ])("is refused soon when it has %s that would take long to read", (_what, graph) => {
    refused({ graph });
  });

  it("is unreadable when it is nested more deeply than the stack goes", () => {
    const graph = Array.from({ length: 100_000 }, (_, index) => [index + 1]);
    expect(refused({ graph: [...graph, []] }).cause).toBeInstanceOf(RangeError);
  });

  it("is read when it is plain JSON, however deep", () => {
    const depth = 100_000;
    let value = codec.decode(JSON.parse(`{"json":${"[".repeat(depth)}${"]".repeat(depth)}}`), "state");
    let levels = 0;
    for (; Array.isArray(value); value = value[0]) levels++;
    expect(levels).toBe(depth);
  });

  it("takes no memory for the length that it claims", () => {
    // if it did, these would be 48 gigabytes
    const lists = Array.from({ length: 200 }, () => [-7, 30_000_000]);
    const references = lists.map((_, index) => index + 1);
    expect(read({ graph: [[...references, 201], ...lists, [-7, 4294967295]] })).toHaveLength(201);
  });
});

describe("prototypes", () => {
  const hostile = '{ "__proto__": { "polluted": true }, "constructor": { "prototype": { "polluted": true } } }';

  it("are never set by a key, which is data like the others", () => {
    const value = JSON.parse(hostile);
    for (const copy of [
      codec.decode(JSON.parse(codec.encode(value, "state")), "state"),
      codec.decode({ json: value }, "state"),
      codec.decode(JSON.parse(codec.encode({ value, at: undefined }, "state")), "state") as { value: unknown },
    ].map((each) => (typeof each === "object" && each !== null && "value" in each ? each.value : each))) {
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(Object.keys(copy as object)).toEqual(["__proto__", "constructor"]);
      expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ polluted: true });
    }
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  it("are never set by the fields of an error", () => {
    const error = Object.defineProperty(new Error("x"), "__proto__", { value: { polluted: true }, enumerable: true });
    const copy = codec.decode(JSON.parse(codec.encode(error, "state")), "state") as object;
    expect(Object.getPrototypeOf(copy)).toBe(Error.prototype);
    expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ polluted: true });
  });

  it("do not get in between with setters and constants of theirs", () => {
    const got: unknown[] = [];
    Object.defineProperty(Object.prototype, "trap", {
      set: (value) => got.push(value),
      get: () => "trap",
      configurable: true,
    });
    Object.defineProperty(Object.prototype, "fixed", { value: "fixed", writable: false, configurable: true });
    try {
      const value = { at: new Date(0), trap: 1, fixed: 2 };
      expect(Object.entries(read(JSON.parse(codec.encode(value, "state"))) as object)).toEqual(Object.entries(value));
      const own = Object.getOwnPropertyDescriptors(value);
      const error = codec.decode(
        JSON.parse(codec.encode(Object.defineProperties(new Error("x"), own), "state")),
        "state",
      );
      expect(Object.entries(error as object)).toEqual(Object.entries(value));
      expect(got).toEqual([]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "trap");
      Reflect.deleteProperty(Object.prototype, "fixed");
    }
  });
});

describe("classes", () => {
  it("that are not registered are never made, whatever their name", () => {
    for (const name of ["Function", "constructor", "__proto__", "toString", "Person"]) {
      const error = thrownBy(() => read({ graph: [["Class", 1], [2, 2], name] }));
      expect(error.code).toBe("UNKNOWN_CLASS");
      expect(error.message).toContain(`"${name}"`);
    }
  });

  it("that are registered are made from what the document says, by their codec", () => {
    const copy = read({ graph: [["Class", 1], [2, 3], "person", { name: 2, friends: 4 }, []] });
    expect(copy).toStrictEqual(new Person("person", []));
  });

  it("of errors do not take a code or path that is none", () => {
    const graph = [["Error", 1], [2, 3, 3, 4], "KumikoError", {}, { code: 5, nodePath: 5 }, 7];
    expect(read({ graph })).toMatchObject({ code: "NODE_FAILED", nodePath: [] });
  });
});
