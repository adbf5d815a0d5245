import { type } from "arktype";
import type { ParameterMap } from "kumiko";
import { toolInfo } from "kumiko/components";
import type { StandardJSONSchemaOptions, ToolParameters } from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const schemaOf = (parameters: ToolParameters | undefined) => toolInfo({ name: "f", parameters }).toJsonSchema();
const thrown = (code: string, words: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(words) });

describe("a map of parameters", () => {
  it("becomes an object schema in sorted order", () => {
    const schema = schemaOf({
      zip: { type: "string", description: "Postal code" },
      city: { type: "string", required: true, enum: ["深圳", "Wien"] },
      days: { type: "array", items: { type: "integer" } },
      unit: {
        type: "object",
        required: true,
        properties: { name: { type: "string", required: true }, exact: { type: "boolean" } },
      },
      anything: { type: "object", properties: undefined },
    });
    expect(schema).toStrictEqual({
      type: "object",
      properties: {
        anything: { type: "object" },
        city: { type: "string", enum: ["深圳", "Wien"] },
        days: { type: "array", items: { type: "integer" } },
        unit: {
          type: "object",
          properties: { exact: { type: "boolean" }, name: { type: "string" } },
          required: ["name"],
        },
        zip: { type: "string", description: "Postal code" },
      },
      required: ["city", "unit"],
    });
    expect(Object.keys(schema?.properties as object)).toEqual(["anything", "city", "days", "unit", "zip"]);
  });

  it("may have parameters that are called like keywords", () => {
    const info = { type: "string" } as const;
    expect(schemaOf({ type: info, properties: info, required: info, description: info, items: info })).toMatchObject({
      properties: { type: info, properties: info, required: info, description: info, items: info },
    });
  });

  it("lists no required parameter as an empty list", () => {
    expect(schemaOf({ city: { type: "string" } })).toMatchObject({ required: [] });
  });

  it.each<[string, ParameterMap, RegExp]>([
    [
      "items of a string",
      { a: { type: "string", items: { type: "null" } } },
      /"a" has items, but its type is "string"/,
    ],
    [
      "properties of a list",
      { a: { type: "object", properties: { b: { type: "array", properties: {} } } } },
      /"a\.b" has properties, but its type is "array"/,
    ],
    [
      "an unknown type inside",
      { a: { type: "object", properties: { b: { type: "date" } } } } as unknown as ParameterMap,
      /"a" must have a map of parameters as properties/,
    ],
  ])("must not have %s", (_name, parameters, words) => {
    expect(() => schemaOf(parameters)).toThrow(thrown("SCHEMA_INVALID", words));
  });
});

describe("no parameters", () => {
  it("are told from empty ones", () => {
    expect(schemaOf(undefined)).toBeUndefined();
    expect(toolInfo({ name: "f" })).not.toHaveProperty("parameters");
    expect(schemaOf({})).toStrictEqual({ type: "object", properties: {}, required: [] });
  });
});

describe("a plain JSON Schema", () => {
  it.each([
    { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    { type: "object" },
    { type: "object", additionalProperties: { type: "string" } },
    { $ref: "#/$defs/a", $defs: { a: { type: "object" } }, type: "object" },
  ])("is used as it is: %j", (schema) => expect(schemaOf(schema)).toBe(schema));

  it.each([
    { properties: { type: { type: "string" } } },
    { properties: {}, required: [] },
    { oneOf: [{ type: "object" }] },
    { $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
    { type: ["object", "null"] },
    { description: "Anything" },
    { additionalProperties: false },
  ])("without an object at the top gets one: %j", (schema) =>
    expect(schemaOf(schema)).toStrictEqual({ ...schema, type: "object" }),
  );

  it("must be of an object", () => {
    expect(() => schemaOf({ type: "string" })).toThrow(thrown("SCHEMA_UNSUPPORTED", /Tool "f": .* type "string"/));
  });

  it.each([[{ city: { typ: "string" } }], [{ city: { type: "text" } }], [{ city: "string" }]])(
    "or a map of parameters it must be, not %j",
    (parameters) => {
      expect(() => toolInfo({ name: "f", parameters })).toThrow(thrown("SCHEMA_INVALID", /Tool "f": .*city/s));
    },
  );

  it.each([null, true, "object", []])("is no %j", (parameters) => {
    expect(() => toolInfo({ name: "f", parameters: parameters as unknown as ToolParameters })).toThrow(
      thrown("SCHEMA_INVALID", /Tool "f"/),
    );
  });
});

describe("a Standard Schema", () => {
  it("gives the schema of what the model writes", () => {
    expect(schemaOf(z.object({ city: z.string(), days: z.number().default(1) }))).toMatchObject({
      type: "object",
      required: ["city"],
    });
    expect(schemaOf(type({ city: "string" }))).toMatchObject({ type: "object", required: ["city"] });
  });

  it("gets an object at the top where a union has none", () => {
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b") }),
    ]);
    expect(schemaOf(union)).toMatchObject({ type: "object", oneOf: [{}, {}] });
  });

  it("is converted when it is first asked for, and once per target", () => {
    const targets: string[] = [];
    const convert = ({ target }: StandardJSONSchemaOptions) => ({ type: "object", title: `${targets.push(target)}` });
    const info = toolInfo({
      name: "f",
      parameters: { "~standard": { version: 1, vendor: "x", jsonSchema: { input: convert, output: convert } } },
    });
    expect(targets).toEqual([]);
    expect(info.toJsonSchema()).toBe(info.toJsonSchema({ target: "draft-2020-12" }));
    expect(info.toJsonSchema({ target: "draft-07" })).toMatchObject({ title: "2" });
    expect(targets).toEqual(["draft-2020-12", "draft-07"]);
  });

  it("that has no JSON Schema is an error that names the tool and the place", () => {
    const info = toolInfo({ name: "pay", parameters: z.object({ amount: z.bigint() }) });
    expect(() => info.toJsonSchema()).toThrow(thrown("SCHEMA_UNSUPPORTED", /Tool "pay": .* bigint at "amount"/));
  });

  it("must be of an object", () => {
    expect(() => schemaOf(z.string())).toThrow(thrown("SCHEMA_UNSUPPORTED", /Tool "f": .* type "string"/));
  });
});

describe("as JSON", () => {
  const send = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it("has name, description and the JSON Schema", () => {
    const info = toolInfo({
      name: "f",
      description: "d",
      parameters: z.object({ a: z.string() }),
      extra: { cache: true },
    });
    expect(send(info)).toEqual({
      name: "f",
      description: "d",
      parameters: send(info.toJsonSchema()),
      extra: { cache: true },
    });
  });

  it.each([undefined, {}, { a: { type: "string" } }])("comes back the same, with parameters %j", (parameters) => {
    const sent = send(toolInfo({ name: "f", parameters: parameters as ToolParameters | undefined }));
    const received = toolInfo(sent as Parameters<typeof toolInfo>[0]);
    expect(send(received)).toEqual(sent);
    expect(received.toJsonSchema()).toEqual(schemaOf(parameters as ToolParameters | undefined));
  });

  it("follows a copy under another name", () => {
    expect(send({ ...toolInfo({ name: "f" }), name: "g" })).toEqual({ name: "g", description: "" });
  });
});

it("a tool needs a name", () => {
  expect(() => toolInfo({ name: "" })).toThrow(thrown("INVALID_TOOL", /name/));
});
