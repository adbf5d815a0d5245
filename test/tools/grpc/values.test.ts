import { AgenticToolsNode } from "kumiko";
import type { ClosableTools } from "kumiko/components";
import type { GrpcTool } from "kumiko/grpc";
import { toolContext } from "kumiko/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, call, calls, rejection } from "../node/calls.js";
import { grpcToolsOf, type Kitchen, kitchen, startKitchen } from "./server.js";

let server: Kitchen;
let tools: ClosableTools<GrpcTool>;
beforeAll(async () => {
  server = await startKitchen();
  tools = await grpcToolsOf({ address: server.address, proto: { "kitchen.proto": kitchen }, omitDefaults: true });
});
afterAll(async () => {
  await tools.close();
  server.stop();
});

const named = (name: string) => {
  const tool = tools.find(({ id }) => id === `Kitchen_${name}`);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

/** What comes back from a server that gives back the bytes that it gets. */
async function echo(args: object | string): Promise<unknown> {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return JSON.parse(String(await named("Echo").invoke(text, toolContext())));
}

describe("values that go to a server and come back", () => {
  const largest = { long: "9223372036854775807", unsigned: "18446744073709551615" };
  it.each<[string, object]>([
    ["double", { aDouble: 1.7976931348623157e308 }],
    ["the smallest double", { aDouble: 5e-324 }],
    ["double that is no number", { aDouble: "NaN" }],
    ["double without end", { aDouble: "-Infinity" }],
    ["float", { aFloat: 0.1 }],
    ["the largest float", { aFloat: 3.4028235e38 }],
    ["float without end", { aFloat: "Infinity" }],
    ["int32", { anInt32: -2147483648 }],
    ["int64, smallest", { anInt64: "-9223372036854775808" }],
    ["int64, largest", { anInt64: largest.long }],
    ["uint32", { aUint32: 4294967295 }],
    ["uint64", { aUint64: largest.unsigned }],
    ["sint32", { aSint32: -2147483648 }],
    ["sint64", { aSint64: "-9223372036854775808" }],
    ["fixed32", { aFixed32: 4294967295 }],
    ["fixed64", { aFixed64: largest.unsigned }],
    ["sfixed32", { aSfixed32: 2147483647 }],
    ["sfixed64", { aSfixed64: "-9223372036854775808" }],
    ["bool", { aBool: true }],
    ["string", { aString: "Ren 蓮 👩‍👩‍👧 \u0000" }],
    ["bytes", { someBytes: "AP+A/w==" }],
    ["enum", { color: "BLUE" }],
    ["number of an enum that has no name", { color: 77 }],
    ["optional field with its default", { maybe: 0 }],
    ["oneof, a text", { email: "a@example.com" }],
    ["oneof, the default", { email: "" }],
    ["oneof, a message", { phone: { number: "1" } }],
    ["lists", { ids: ["1", largest.long], colors: ["RED", "COLOR_UNSPECIFIED"], chunks: ["", "AA=="] }],
    ["map of messages", { phones: { home: { number: "1" }, "": {} } }],
    ["map by int64", { byId: { "-9223372036854775808": "min", "123456789012345678": "x" } }],
    ["map by uint64", { times: { [largest.unsigned]: "2026-01-31T08:30:00Z" } }],
    ["map by bool", { byFlag: { true: 1, false: 2 } }],
    ["message in a message", { inner: { inner: { anInt32: 1 } } }],
    ["Timestamp", { time: "9999-12-31T23:59:59.999999999Z" }],
    ["early Timestamp", { time: "0001-01-01T00:00:00Z" }],
    ["Duration", { duration: "-315576000000.999999999s" }],
    ["Struct", { struct: { a: [1, "x", null, { b: true }], "a b": 1e300 } }],
    ["Value", { value: null }],
    ["Value, a list", { value: [[], {}, "x"] }],
    ["ListValue", { list: [null, false, 0] }],
    ["values", { values: [null, "x", [1]] }],
    ["FieldMask", { mask: "name,homeAddress.street" }],
    ["Any of a message", { any: { "@type": "type.googleapis.com/test.v1.Number", number: largest.long } }],
    ["Any of a well-known type", { any: { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1.500s" } }],
    ["wrapped int64", { wrappedLong: largest.long }],
    ["wrapped default", { wrappedLong: "0", wrappedBool: false, wrappedBytes: "" }],
    ["Empty", { empty: {} }],
    ["field with a JSON name", { "other-name": "x" }],
  ])("%s", async (_name, value) => {
    expect(await echo(value)).toEqual(value);
  });

  it("64-bit integers that a model writes as numbers keep all digits", async () => {
    const text = '{"anInt64":9223372036854775807,"aUint64":18446744073709551615,"ids":[9007199254740993]}';
    const node = new AgenticToolsNode(tools);
    const [block] = blocksOf(await node.invoke(calls(call("Kitchen_Echo", text))));
    expect(JSON.parse(block?.result ?? "")).toEqual({
      anInt64: "9223372036854775807",
      aUint64: "18446744073709551615",
      ids: ["9007199254740993"],
    });
  });

  it("bigints of a program are 64-bit integers", async () => {
    const output = await named("Echo").execute({ anInt64: -5n, ids: [2n ** 62n] }, toolContext());
    expect(output).toEqual({ anInt64: "-5", ids: ["4611686018427387904"] });
  });

  it("names of the file, null for what is absent, and other forms of numbers are read too", async () => {
    expect(await echo({ an_int64: 7, a_string: null, an_int32: "1e3", a_bool: undefined, color: 1 })).toEqual({
      anInt64: "7",
      anInt32: 1000,
      color: "RED",
    });
  });

  it("answers have all fields without presence, so that a model can tell 0 from nothing", async () => {
    const [tool] = await grpcToolsOf({ address: server.address, proto: { k: kitchen }, include: ["Count"] });
    const output = await tool?.invoke('{"to":1}', toolContext());
    expect(output).toBe('[{"number":"1","padding":""}]');
    const [echoing, ...others] = await grpcToolsOf({
      address: server.address,
      proto: { k: kitchen },
      include: ["Echo"],
    });
    expect(others).toEqual([]);
    const all = await echoing?.execute({}, toolContext());
    expect(all).toMatchObject({
      anInt64: "0",
      aBool: false,
      color: "COLOR_UNSPECIFIED",
      ids: [],
      phones: {},
      someBytes: "",
    });
    for (const key of ["maybe", "email", "phone", "inner", "time", "wrappedLong"]) expect(all).not.toHaveProperty(key);
  });

  it("a request that is no object in JSON is the argument value, and an answer is any JSON", async () => {
    expect(await named("Text").invoke('{"value":"hi"}', toolContext())).toBe("hi!");
    expect(named("Text").inputSchema).toMatchObject({ properties: { value: { type: "string" } }, required: ["value"] });
  });
});

describe("arguments that do not fit", () => {
  it.each<[object, string, string]>([
    [{ anInt32: 2147483648 }, "anInt32", "from -2147483648 to 2147483647 (int32)"],
    [{ anInt32: 1.5 }, "anInt32", "an integer"],
    [{ aUint32: -1 }, "aUint32", "from 0"],
    [{ anInt64: "9223372036854775808" }, "anInt64", "(int64)"],
    [{ aUint64: "-1" }, "aUint64", "(uint64)"],
    [{ anInt64: "12 apples" }, "anInt64", "(int64)"],
    [{ aFloat: 1e39 }, "aFloat", "float"],
    [{ aDouble: "much" }, "aDouble", "a number"],
    [{ aBool: "true" }, "aBool", "true or false"],
    [{ aString: 5 }, "aString", "a text"],
    [{ aString: "\ud800" }, "aString", "halves"],
    [{ someBytes: "no base64!" }, "someBytes", "base64"],
    [{ color: "GREEN" }, "color", '"RED"'],
    [{ ids: [1, "x"] }, "ids[1]", "(int64)"],
    [{ ids: 5 }, "ids", "a list"],
    [{ ids: [null] }, "ids[0]", "(int64)"],
    [{ phones: { home: { nummer: "1" } } }, "phones.home.nummer", 'Phone has "number"'],
    [{ phones: [] }, "phones", "an object"],
    [{ byId: { x: "y" } }, "byId.x", "key of type int64"],
    [{ byFlag: { yes: 1 } }, "byFlag.yes", '"true" or "false"'],
    [{ inner: { inner: { color: "X" } } }, "inner.inner.color", "expected one of"],
    [{ email: "a", phone: { number: "1" } }, "phone", "not both (oneof contact)"],
    [{ anInt32: 1, an_int32: 2 }, "an_int32", "same field"],
    [{ time: "yesterday" }, "time", "RFC 3339"],
    [{ duration: "5" }, "duration", '"1.5s"'],
    [{ mask: "snake_case" }, "mask", "lowerCamelCase"],
    [{ any: { "@type": "type.googleapis.com/no.Such" } }, "any.@type", "no message type"],
    [{ any: { "@type": "test.v1.Number", number: true } }, "any.number", "(int64)"],
    [{ wrappedLong: "x" }, "wrappedLong", "(int64)"],
    [{ struct: [] }, "struct", "an object"],
    [{ list: {} }, "list", "a list"],
    [{ unknown: 1 }, "unknown", "unknown field"],
    [{ inner: deep(120) }, "inner.inner", "nested 100 deep"],
  ])("case %#, before anything is sent", async (args, place, reason) => {
    const before = server.called.length;
    const node = new AgenticToolsNode({ tools, onToolError: "result" });
    const [block] = blocksOf(await node.invoke(calls(call("Kitchen_Echo", args))));
    expect(block).toMatchObject({ isError: true, errorKind: "validation" });
    expect(block?.result).toContain(place);
    expect(block?.result).toContain(reason);
    expect(server.called).toHaveLength(before);
  });

  it("all of them are told at once", async () => {
    const error = await rejection(named("Echo").invoke('{"anInt32":"x","aBool":1,"more":2}', toolContext()));
    expect(error).toMatchObject({ kind: "validation", issues: { length: 3 } });
  });

  it("a hand-made call is refused as well", async () => {
    const error = await rejection(Promise.resolve(named("Echo").execute({ anInt64: 2n ** 63n }, toolContext())));
    expect(String(error)).toMatch(/Kitchen\/Echo.*anInt64.*Nothing was sent/);
  });

  it("a number in the arguments that lost its digits is compared exactly", async () => {
    const node = new AgenticToolsNode({ tools, onToolError: "result" });
    const [block] = blocksOf(await node.invoke(calls(call("Kitchen_Echo", '{"anInt64":9223372036854775808}'))));
    expect(block).toMatchObject({ isError: true });
    expect(block?.result).toContain("anInt64");
  });
});

function deep(levels: number): object {
  return levels === 0 ? {} : { inner: deep(levels - 1) };
}
