import { type KumikoError, RequestContext, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { thrownBy } from "../../compose/thrown-by.js";

const slot = 'input of "b"';

function refused(value: unknown): KumikoError {
  const error = thrownBy(() => new ValueCodec([]).encode(value, slot));
  expect(error.code).toBe("NOT_SERIALIZABLE");
  return error;
}

class Order {
  readonly id = 1;
}

describe("the path of a value that cannot be saved", () => {
  const record = Object.assign(Object.create(null), { fn: () => 1 });
  const sparse: unknown[] = [];
  sparse[7] = () => 1;
  const ownProto = JSON.parse('{ "__proto__": {} }');
  Object.assign(Object.getOwnPropertyDescriptor(ownProto, "__proto__")?.value, { fn: () => 1 });

  it.each([
    ["a value", () => 1, 'input of "b" cannot'],
    ["a property", { outer: { list: [1, { fn: () => 1 }] } }, 'input of "b": outer.list[1].fn cannot'],
    ["a list", [[() => 1]], 'input of "b": [0][0] cannot'],
    ["a list with holes", { sparse }, 'input of "b": sparse[7] cannot'],
    ["a key that is no name", { "a b": { "": { "1": () => 1 } } }, 'input of "b": ["a b"][""]["1"] cannot'],
    ["a key of another script", { größe: { 名前: () => 1 } }, 'input of "b": größe.名前 cannot'],
    ["a map", { map: new Map([["a", { fn: () => 1 }]]) }, 'input of "b": map.get("a").fn cannot'],
    ["a map with numbers for keys", { map: new Map([[1n, () => 1]]) }, 'input of "b": map.get(1) cannot'],
    ["a key of a map", { map: new Map([[{ fn: () => 1 }, 1]]) }, 'input of "b": map.keys[0].fn cannot'],
    ["a map with objects for keys", { map: new Map([[{}, () => 1]]) }, 'input of "b": map.values[0] cannot'],
    ["a set", { set: new Set([1, () => 1]) }, 'input of "b": set.values[1] cannot'],
    ["an error", { error: Object.assign(new Error("x"), { fn: () => 1 }) }, 'input of "b": error.fn cannot'],
    ["a cause", { error: new Error("x", { cause: { fn: () => 1 } }) }, 'input of "b": error.cause.fn cannot'],
    ["an AggregateError", new AggregateError([{ fn: () => 1 }]), 'input of "b": errors[0].fn cannot'],
    ["a record without a prototype", { record }, 'input of "b": record.fn cannot'],
    ["an own __proto__", ownProto, 'input of "b": __proto__.fn cannot'],
    ["a symbol key", { a: { [Symbol("s")]: 1 } }, 'input of "b": a[Symbol(s)] cannot'],
  ])("is exact inside %s", (_where, value, message) => {
    expect(refused(value).message.slice(0, message.length)).toBe(message);
    expect(refused({ special: new Date(), value }).message).toContain("value");
  });

  it("keeps its end when it is long", () => {
    let value: unknown = { theLast: () => 1 };
    for (let level = 0; level < 400; level++) value = { levelOfManyLevels: value };
    const { message } = refused(value);
    expect(message).toContain("levelOfManyLevels.theLast");
    expect(message.length).toBeLessThan(1500);
  });
});

describe("what cannot be saved", () => {
  it.each([
    ["a function", () => 1, "it is a function", "Leave it out"],
    ["a class", Order, "it is a function", "Leave it out"],
    ["a symbol", Symbol("s"), "it is a symbol", "Leave it out"],
    ["a bigint that takes long to read", 1n << 262_144n, "it is a bigint of more than 262,144 bits", "as bytes"],
    ["a boxed bigint that takes long to read", Object(1n << 262_144n), "it is a bigint of more than", "as bytes"],
    ["a pattern that takes long to read", new RegExp("a".repeat(32_769)), "of more than 32,768 characters", "parts"],
    ["a promise", Promise.resolve(1), "it is a promise", "Await it"],
    ["a RequestContext", new RequestContext(), "it is the request context", "on resume"],
    ["a StreamReader", StreamReader.from([1]), "it is a stream", "Read it first"],
    ["a ReadableStream", new ReadableStream(), "it is a stream", "Read it first"],
    ["a generator", (async function* () {})(), "it is a stream", "Read it first"],
    ["a WeakMap", new WeakMap(), "an instance of WeakMap", "codec"],
    ["a WeakRef", new WeakRef({}), "an instance of WeakRef", "codec"],
    ["a SharedArrayBuffer", new SharedArrayBuffer(1), "an instance of SharedArrayBuffer", "codec"],
    [
      "an instance of a class",
      new Order(),
      "an instance of Order",
      "new Runtime({ codecs: [{ name, type, encode, decode }] })",
    ],
    ["a list of a subclass", new (class Stack extends Array {})(), "no codec", "codecs"],
    ["a map of a subclass", new (class Cache extends Map {})(), "an instance of Cache", "codecs"],
    ["a date of a subclass", new (class Day extends Date {})(), "an instance of Day", "codecs"],
    ["bytes of a subclass", new (class Key extends Uint8Array {})(1), "an instance of Key", "codecs"],
    ["an object with a prototype", Object.create({ a: 1 }), "no codec", "codecs"],
    ["an object that says it is an error", Object.create({ [Symbol.toStringTag]: "Error" }), "no codec", "codecs"],
    ["an object that only looks like a map", Object.create(Map.prototype), "reading it threw an error", ""],
    ["an object that only looks like a date", Object.create(Date.prototype), "reading it threw an error", ""],
  ])("is %s", (_what, value, what, advice) => {
    for (const { message } of [refused(value), refused({ value }), refused([new Date(), value])]) {
      expect(message).toContain(what);
      expect(message).toContain(advice);
    }
  });

  it("is an instance of a subclass whose parent alone is registered", () => {
    class Express extends Order {}
    const order = { name: "order", type: Order, encode: () => 1, decode: () => new Order() };
    const error = thrownBy(() => new ValueCodec([order]).encode({ order: new Express() }, slot));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("order cannot be saved in a checkpoint: it is an instance of Express");
    expect(error.message).toContain('(the codec "order" is for its parent Order)');
  });

  it("is a value whose getter throws; the error says which, and why", () => {
    const cause = new Error("closed");
    const value = {
      list: [
        {
          get connection() {
            throw cause;
          },
        },
      ],
    };
    const error = refused(value);
    expect(error.message).toContain('input of "b": list[0].connection cannot be saved');
    expect(error.message).toContain("closed");
    expect(error.cause).toBe(cause);
  });

  it("is a proxy that was revoked, or that does not let itself be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refused({ proxy }).message).toContain("proxy cannot be saved");
    const locked = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("locked");
        },
      },
    );
    expect(refused({ locked }).message).toContain("locked");
  });

  it("is a toJSON of plain objects, for it is a function and not asked", () => {
    expect(refused({ a: { toJSON: () => 1 } }).message).toContain("a.toJSON cannot be saved");
  });

  it.each([
    ["records", (inner: unknown) => ({ inner })],
    ["lists", (inner: unknown) => [inner]],
    ["maps", (inner: unknown) => new Map([["inner", inner]])],
    ["keys of maps", (inner: unknown) => new Map([[inner, 1]])],
    ["sets", (inner: unknown) => new Set([inner])],
    ["errors", (inner: unknown) => new Error("x", { cause: inner })],
  ])("are a hundred thousand %s inside each other", (_what, wrap) => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = wrap(value);
    expect(refused(value).message).toContain("more than 500 levels deep");
  });
});

it.each([
  ["records", (inner: unknown) => ({ inner, at: new Date(0) })],
  ["plain records", (inner: unknown) => ({ inner })],
  ["maps", (inner: unknown) => new Map([["inner", inner]])],
  ["errors", (inner: unknown) => new Error("x", { cause: inner })],
  [
    "records with a __proto__ of their own",
    (inner: unknown) => JSON.parse('{ "__proto__": 1, "inner": 2 }', (key, value) => (key === "inner" ? inner : value)),
  ],
])("%s inside each other can be read as deep as they can be saved", (_what, wrap) => {
  const codec = new ValueCodec([]);
  let value: unknown = 1n;
  let levels = 0;
  for (; levels < 600; levels++) {
    let text: string;
    try {
      text = codec.encode(value, slot);
    } catch {
      break;
    }
    codec.decode(JSON.parse(text), slot);
    value = wrap(value);
  }
  expect(levels).toBeGreaterThan(100);
  expect(refused(value).message).toContain("more than 500 levels deep");
});

it("the limit is the same for plain JSON, so that a date more or less does not decide", () => {
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  expect(() => new ValueCodec([]).encode(nested(500), slot)).not.toThrow();
  expect(refused(nested(502)).message).toContain("more than 500 levels deep");
});

it("toJSON of prototypes is not asked", () => {
  const prototype: { toJSON?: () => unknown } = Array.prototype as never;
  prototype.toJSON = () => "wrong";
  try {
    const codec = new ValueCodec([]);
    expect(codec.decode(JSON.parse(codec.encode([{ a: [1] }], slot)), slot)).toEqual([{ a: [1] }]);
  } finally {
    delete prototype.toJSON;
  }
});
