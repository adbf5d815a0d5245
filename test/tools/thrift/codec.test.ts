import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { ServiceDefinition } from "../../../src/tools/thrift/definition.js";
import { readIdl } from "../../../src/tools/thrift/idl/read-idl.js";
import { loadThrift } from "../../../src/tools/thrift/load-thrift.js";
import { MessageCodec } from "../../../src/tools/thrift/message.js";
import type { Protocol } from "./servers.js";

const require = createRequire(import.meta.url);

const serviceOf = (idl: string): Promise<ServiceDefinition> =>
  readIdl({ file: "idl", text: idl }, async () => undefined, undefined);

/** A call of a method that takes what it gives back, turned into its answer: the same fields, as the result. */
async function roundTrip(protocol: Protocol, type: string, value: unknown, definitions = ""): Promise<unknown> {
  const service = await serviceOf(
    `${definitions} struct Holder { 1: ${type} value } service S { void send(1: Holder success) Holder get() }`,
  );
  const [send, get] = service.methods;
  if (send === undefined || get === undefined) throw new Error("no methods");
  const codec = new MessageCodec(await loadThrift(), protocol, "S", "");
  // an answer is a message of another type, whose result has the id 0
  const answer = { ...send, name: "get", parameters: send.parameters.map((field) => ({ ...field, id: 0 })) };
  const bytes = Buffer.from(codec.write(answer, { success: { value } }, 1));
  if (protocol === "binary") bytes[3] = 2;
  if (protocol === "compact") bytes[1] = (2 << 5) | 1;
  const text = protocol === "json" ? Buffer.from(bytes.toString().replace('[1,"get",1,', '[1,"get",2,')) : bytes;
  for (let length = 0; length < text.length; length++)
    expect(codec.read(get, text.subarray(0, length), 1)).toBeUndefined();
  const reply = codec.read(get, text, 1);
  if (reply === undefined || reply.isError) throw new Error(`no answer: ${String(reply?.error)}`);
  return (reply.value as { value: unknown }).value;
}

const definitions =
  "struct Key { 1: i32 a, 2: optional Key inner } enum E { ONE = 1 } union U { 1: i32 a, 2: string b }";

describe.each<Protocol>(["binary", "compact", "json"])("values in the %s protocol", (protocol) => {
  it.each<[string, unknown]>([
    ["list<bool>", [true, false, true]],
    ["map<bool, bool>", { true: false, false: true }],
    ["bool", true],
    ["set<i64>", [0, -1, 2n ** 62n, -(2n ** 63n), 2n ** 63n - 1n, 9_007_199_254_740_991]],
    ["map<i64, i64>", { "9223372036854775807": -(2n ** 63n), "-5": 5 }],
    ["i8", -128],
    ["i16", -32_768],
    ["i32", -2_147_483_648],
    ["double", -1.5e-300],
    ["list<double>", [0, 5e-324, 1.797_693_134_862_315_7e308, 0.1, "NaN", "Infinity", "-Infinity"]],
    ["map<double, string>", { "0.5": "half" }],
    ["map<E, i32>", { ONE: 1, "7": 2 }],
    ["E", 7],
    ["binary", "AP//"],
    ["string", "\u0000\u001f\u007f\u2028\ud83d\ude00 \"'\\/\n"],
    ["list<list<map<string, set<i32>>>>", [[{ a: [1, 2], b: [] }, {}], []]],
    ["list<Key>", [{ a: 1, inner: { a: 2, inner: { a: 3 } } }, {}]],
    ["U", { b: "" }],
    ["uuid", "00112233-4455-6677-8899-aabbccddeeff"],
  ])("are the same in an answer, whole or not: %s", async (type, value) => {
    expect(await roundTrip(protocol, type, value, definitions)).toEqual(value);
  });

  it("have maps with structs as keys, where the protocol has them", async () => {
    const value = [
      { key: { a: 1 }, value: "one" },
      { key: { a: 2, inner: {} }, value: "two" },
    ];
    const done = roundTrip(protocol, "map<Key, string>", value, definitions);
    if (protocol === "json") await expect(done).rejects.toThrow("the JSON protocol has no keys with parts");
    else expect(await done).toEqual(value);
  });
});

it("the compact protocol of the package still reads bools in lists as false, which is why its class is extended", () => {
  const { TCompactProtocol, TFramedTransport } = require("thrift");
  const reader = new TCompactProtocol(new TFramedTransport(Buffer.from([0x11, 0x01])));
  expect(reader.readListBegin()).toMatchObject({ size: 1 });
  expect(reader.readBool()).toBe(false);
});

it("fields that are not known are skipped, and a list with other parts is an error", async () => {
  const codec = new MessageCodec(await loadThrift(), "json", "S", "");
  const [get] = (await serviceOf("struct T { 1: list<i32> a, 2: i32 b } service S { T get() }")).methods;
  if (get === undefined) throw new Error("no method");
  const answer = (fields: string) => Buffer.from(`[1,"get",2,1,{"0":{"rec":${fields}}}]`);
  const newer = answer('{"1":{"lst":["i32",1,5]},"2":{"str":"no"},"9":{"map":["str","i32",0,{}]}}');
  expect(codec.read(get, newer, 1)).toEqual({ isError: false, value: { a: [5] } });
  expect(() => codec.read(get, answer('{"1":{"lst":["str",1,"5"]}}'), 1)).toThrow("has parts of another type");
});
