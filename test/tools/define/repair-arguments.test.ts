import type { JsonSchema } from "kumiko";
import { describe, expect, it } from "vitest";
import { repairText, repairValue } from "../../../src/tools/define/repair-arguments.js";

const everywhere = [{ message: "does not fit", path: [] }];

function repaired(value: object, schema: JsonSchema, paths: readonly (readonly (string | number)[])[] = [[]]) {
  const copy = structuredClone(value);
  const repairs = repairValue(
    copy,
    schema,
    paths.map((path) => ({ message: "does not fit", path })),
  );
  return { value: copy, repairs: repairs.map(({ path, repair }) => `${path.join(".")}: ${repair}`) };
}

function properties(of: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties: of, required };
}

describe("the text of arguments", () => {
  it.each([
    ['{"a":1}}', { a: 1 }],
    ['{"a":1}</tool_call>', { a: 1 }],
    ['{"a":1}\n```', { a: 1 }],
    [' {"a":"}\\"{"} and so on', { a: '}"{' }],
    ['{"a":[{"b":[]}]}"', { a: [{ b: [] }] }],
  ])("loses what stands behind its object: %s", (text, value) => {
    expect(repairText(text)).toEqual({ value, repair: { path: [], repair: "cut_trailing_text" } });
  });

  it("is decoded when it was encoded twice", () => {
    expect(repairText(JSON.stringify('{"a":1}'))).toEqual({
      value: { a: 1 },
      repair: { path: [], repair: "decoded_text" },
    });
  });

  it.each([
    '{"a":1',
    '{"a":1}{"a":2}',
    '{"a":1} {"b":',
    "{a:1}}",
    "[1]",
    '"text"',
    '"[1]"',
    '"null"',
    "null",
    "5",
    "not JSON",
    "",
    "{]",
  ])("stays as it is when nobody knows what was meant: %s", (text) => expect(repairText(text)).toBeUndefined());
});

describe("a value", () => {
  it.each<[unknown, unknown, JsonSchema]>([
    ['{"b":1}', { b: 1 }, { type: "object" }],
    ["[1,2]", [1, 2], { type: "array" }],
    ["5.5", 5.5, { type: "number" }],
    ["5", 5, { type: "integer" }],
    ["true", true, { type: "boolean" }],
    ["[]", [], { type: ["array", "null"] }],
    ["[]", [], { anyOf: [{ type: "array" }, { type: "null" }] }],
    ["5", 5, { enum: [5, 6] }],
    ["{}", {}, { properties: {} }],
  ])("is decoded: %j becomes %j", (given, wanted, schema) => {
    expect(repaired({ a: given }, properties({ a: schema }))).toEqual({
      value: { a: wanted },
      repairs: ["a: decoded_text"],
    });
  });

  it.each<[unknown, JsonSchema]>([
    ["[1]", { type: "string" }],
    ["[1]", { type: ["string", "array"] }],
    ["[1]", { anyOf: [{ type: "array" }, { type: "string" }] }],
    ["[1]", {}],
    ["[1]", { anyOf: [{ type: "array" }, {}] }],
    ["[1]", { type: "object" }],
    ["{}", { type: "array" }],
    ["1.5", { type: "integer" }],
    ["12345678901234567890", { type: "integer" }],
    ["1e999", { type: "number" }],
    ["5", { type: "boolean" }],
    ["yes", { type: "boolean" }],
    ["null", { type: "object" }],
    ["[1", { type: "array" }],
    [5, { type: "string" }],
  ])("stays as it is when it is not exactly what is wanted: %j for %j", (given, schema) => {
    expect(repaired({ a: given }, properties({ a: schema }))).toEqual({ value: { a: given }, repairs: [] });
  });

  it("is dropped when it is null and may be absent", () => {
    const schema = properties({ a: { type: "string" }, b: { type: "string" }, c: { type: ["string", "null"] } }, ["b"]);
    expect(repaired({ a: null, b: null, c: null }, schema)).toEqual({
      value: { b: null, c: null },
      repairs: ["a: dropped_null"],
    });
  });

  it("is found through lists, references, compositions and what was decoded", () => {
    const schema: JsonSchema = {
      ...properties({
        list: { type: "array", items: { $ref: "#/$defs/place" } },
        pair: { type: "array", prefixItems: [{ type: "number" }], items: { type: "boolean" } },
        more: { allOf: [properties({ n: { type: "number" } })] },
      }),
      additionalProperties: { type: "number" },
      $defs: { place: properties({ size: { type: "number" }, inside: { $ref: "#/$defs/place" } }) },
    };
    const value = {
      list: '[{"size":"1","inside":{"size":"2","inside":null}}]',
      pair: ["1", "true"],
      more: { n: "3" },
      other: "4",
    };
    expect(repaired(value, schema).value).toEqual({
      list: [{ size: 1, inside: { size: 2 } }],
      pair: [1, true],
      more: { n: 3 },
      other: 4,
    });
  });

  it("is left alone where no issue points", () => {
    const schema = properties({
      a: { type: "number" },
      b: properties({ c: { type: "number" } }),
      d: { type: "number" },
    });
    const value = { a: "1", b: { c: "2" }, d: null };
    expect(repaired(value, schema, [["b", "c"]])).toEqual({
      value: { a: "1", b: { c: 2 }, d: null },
      repairs: ["b.c: decoded_text"],
    });
  });

  it("ends in schemas that refer to themselves, and in values without an end", () => {
    let deep: object = {};
    for (let level = 0; level < 5_000; level++) deep = { next: deep };
    const schema: JsonSchema = { ...properties({ next: { $ref: "#" } }), anyOf: [{ $ref: "#" }] };
    expect(repairValue(deep, schema, everywhere)).toEqual([]);
  });

  it("never touches a prototype", () => {
    const value = JSON.parse('{"__proto__":"{\\"polluted\\":true}","constructor":"1"}');
    const schema = properties({ constructor: { type: "number" } });
    repairValue(value, { ...schema, additionalProperties: { type: "object" } }, everywhere);
    expect(value.polluted).toBeUndefined();
    expect(value.constructor).toBe(1);
  });
});
