import { type } from "arktype";
import type { JsonSchema } from "kumiko";
import { type AnyStandardSchema, type StandardJSONSchemaOptions, toJsonSchema } from "kumiko/schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod/v3";

const unsupported = (words: RegExp) =>
  expect.objectContaining({ code: "SCHEMA_UNSUPPORTED", message: expect.stringMatching(words) });
const dateTime = { type: "string", format: "date-time" };

describe("any Standard JSON Schema", () => {
  const options: StandardJSONSchemaOptions[] = [];
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "other",
      jsonSchema: {
        input: (given: StandardJSONSchemaOptions) => options.push(given) && { title: "in" },
        output: (given: StandardJSONSchemaOptions) => options.push(given) && { title: "out" },
      },
    },
  };

  it("is converted from its input side to draft 2020-12, unless told otherwise", () => {
    expect(toJsonSchema(schema)).toEqual({ title: "in" });
    expect(toJsonSchema(schema, { side: "output", target: "draft-07" })).toEqual({ title: "out" });
    expect(options).toEqual([{ target: "draft-2020-12" }, { target: "draft-07" }]);
  });
});

describe("a plain JSON Schema", () => {
  it("is returned itself", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "string" };
    expect(toJsonSchema(schema)).toBe(schema);
  });

  it.each([true, [], null, "object", () => ({})])("is no %j", (value) => {
    expect(() => toJsonSchema(value as unknown as JsonSchema)).toThrow(
      expect.objectContaining({ code: "SCHEMA_INVALID" }),
    );
  });
});

describe("zod 4", () => {
  it("keeps descriptions, and tells input from output", () => {
    const schema = z.object({ city: z.string().describe("Where"), days: z.number().default(3) });
    expect(toJsonSchema(schema)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: { city: { type: "string", description: "Where" } },
      required: ["city"],
    });
    expect(toJsonSchema(schema, { side: "output" })).toMatchObject({ required: ["city", "days"] });
    expect(toJsonSchema(schema, { target: "draft-07" })).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
    });
  });

  it("writes dates as date-time, on both sides and in any place", () => {
    const schema = z.object({ at: z.date().describe("When"), more: z.array(z.coerce.date()).optional() });
    const properties = { at: { ...dateTime, description: "When" }, more: { type: "array", items: dateTime } };
    expect(toJsonSchema(schema)).toMatchObject({ properties });
    expect(toJsonSchema(schema, { side: "output" })).toMatchObject({ properties });
  });

  it("writes what a transform takes", () => {
    const schema = z.object({ n: z.string().transform(Number), p: z.preprocess((text) => text, z.string()) });
    expect(toJsonSchema(schema)).toMatchObject({ properties: { n: { type: "string" }, p: { type: "string" } } });
  });

  it("refuses what a transform gives", () => {
    const schema = z.object({ n: z.string().transform(Number) });
    expect(() => toJsonSchema(schema, { side: "output" })).toThrow(unsupported(/JSON has no transform at "n"/));
  });

  it("writes schemas that accept anything", () => {
    const schema = z.object({ a: z.any(), b: z.unknown().optional(), c: z.record(z.string(), z.any()), d: z.json() });
    expect(toJsonSchema(schema)).toMatchObject({ properties: { a: {}, b: {}, c: { additionalProperties: {} } } });
  });

  it("writes schemas that contain themselves", () => {
    const node = z.object({
      get children() {
        return z.array(node);
      },
    });
    expect(toJsonSchema(node)).toMatchObject({ properties: { children: { items: { $ref: "#" } } } });
  });

  it.each([
    ["bigint", z.bigint()],
    ["bigint", z.bigint().describe("A large number")],
    ["map", z.map(z.string(), z.string())],
    ["set", z.set(z.string())],
    ["symbol", z.symbol()],
    ["undefined", z.undefined()],
    ["void", z.void()],
    ["nan", z.nan()],
    ["custom", z.instanceof(URL)],
    ["literal", z.literal(1n)],
    ["literal", z.literal(["a", undefined])],
  ])("refuses %s, and says where it is", (name, part) => {
    const schema = z.object({ list: z.array(z.object({ part, at: z.date() })) });
    expect(() => toJsonSchema(schema)).toThrow(unsupported(new RegExp(`no ${name} at "list\\[\\]\\.part"`)));
  });

  it("takes the metadata's word for a type of the user's own", () => {
    const schema = z.object({ id: z.custom<string>().meta({ type: "string" }).optional() });
    expect(toJsonSchema(schema)).toMatchObject({ properties: { id: { type: "string" } } });
  });

  it("names every part that it refuses", () => {
    const schema = z.object({ a: z.bigint(), b: z.record(z.string(), z.symbol()) });
    expect(() => toJsonSchema(schema)).toThrow(/no bigint at "a"/);
    expect(() => toJsonSchema(schema)).toThrow(/no symbol at "b\[key\]"/);
  });
});

describe("ArkType", () => {
  it("is a function and a schema", () => {
    expect(toJsonSchema(type({ location: "string", "unit?": "'celsius' | 'fahrenheit'" }))).toMatchObject({
      type: "object",
      properties: { location: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["location"],
    });
  });

  it("writes dates as date-time, on both sides", () => {
    expect(toJsonSchema(type({ at: "Date" }))).toMatchObject({ properties: { at: dateTime } });
    expect(toJsonSchema(type({ at: "Date > d'2020-01-01'" }))).toMatchObject({ properties: { at: dateTime } });
    expect(toJsonSchema(type({ at: "string.date.parse" }), { side: "output" })).toMatchObject({
      properties: { at: dateTime },
    });
  });

  it("keeps what JSON has of a narrowed type, and lets anything be anything", () => {
    const narrow = type("string").narrow(() => true);
    expect(toJsonSchema(type({ narrow, any: "unknown", "maybe?": "string | undefined" }))).toMatchObject({
      properties: { narrow: { type: "string" }, any: {}, maybe: { anyOf: [{ type: "string" }, { not: {} }] } },
    });
  });

  it.each([
    ["bigint", type("bigint")],
    ["symbol", type("symbol")],
    ["Map", type("Map")],
    ["URL", type.instanceOf(URL)],
    ["unit", type.unit(1n)],
  ])("refuses %s, and says where it is", (name, part) => {
    const schema = type({ list: type({ part }).array() });
    expect(() => toJsonSchema(schema)).toThrow(unsupported(new RegExp(`no ${name} at "list\\[\\]\\.part"`)));
  });

  it("says why a target is not possible", () => {
    expect(() => toJsonSchema(type("string"), { target: "openapi-3.0" })).toThrow(unsupported(/openapi-3\.0/));
  });
});

describe("libraries without a converter", () => {
  it.each<[string, AnyStandardSchema, RegExp]>([
    ["zod 3", zod3.object({ a: zod3.string() }), /"zod" 4\.2 or newer/],
    ["valibot", v.object({ a: v.string() }), /toStandardJsonSchema of "@valibot\/to-json-schema"/],
    [
      "any other",
      { "~standard": { version: 1, vendor: "constructor" } },
      /a version of constructor with Standard JSON Schema/,
    ],
  ])("%s: the error says what to do", (_name, schema, words) => {
    expect(() => toJsonSchema(schema)).toThrow(unsupported(words));
  });

  it("valibot with its converter is told how to write dates", () => {
    const told: unknown[] = [];
    const schema = {
      "~standard": {
        ...v.date()["~standard"],
        jsonSchema: {
          input: ({ libraryOptions }: StandardJSONSchemaOptions) => {
            const { overrideSchema } = libraryOptions as { overrideSchema: (context: object) => object | undefined };
            told.push(overrideSchema({ valibotSchema: v.string() }));
            return overrideSchema({ valibotSchema: v.date() }) as Record<string, unknown>;
          },
          output: () => ({}),
        },
      },
    };
    expect(toJsonSchema(schema)).toEqual(dateTime);
    expect(told).toEqual([undefined]);
  });
});
