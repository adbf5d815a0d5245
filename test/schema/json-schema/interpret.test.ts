import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SchemaCompilers } from "../../../src/schema/json-schema/compilers.js";
import { isCodeForbidden } from "../../../src/schema/json-schema/interpret.js";
import { JsonSchemaValidator } from "../../../src/schema/json-schema-validator.js";
import { usePrograms } from "../../programs.js";

const child = join(import.meta.dirname, "interpret-child.ts");
const programOf = usePrograms(child);

const sorted = (issues: readonly { path?: readonly unknown[] | undefined; message: string }[] | undefined) =>
  issues?.map(({ path = [], message }) => `${path.join(".")}: ${message}`).sort();

const address = { type: "object", properties: { "a/b": { type: "array", items: { type: "number" } } } };

describe("a schema that is interpreted gives the issues that compiled code gives", () => {
  it.each<[object, unknown]>([
    [{ type: "object", properties: { city: { type: "string" } }, required: ["city"] }, {}],
    [{ type: "object", properties: { city: { type: "string" } } }, { city: 1 }],
    [
      { type: "object", additionalProperties: false, properties: { a: {} } },
      { a: 1, b: 2 },
    ],
    [{ type: "object", additionalProperties: { type: "number" } }, { a: "x" }],
    [address, { "a/b": [1, "x"] }],
    [{ type: ["string", "null"] }, 1],
    [{ type: "integer" }, 1.5],
    [{ enum: ["a", "b"] }, "c"],
    [{ const: { a: 1 } }, { a: 2 }],
    [{ type: "string", minLength: 2, pattern: "^a" }, "b"],
    [{ type: "string", maxLength: 2 }, "abc"],
    [{ type: "string", format: "email" }, "nobody"],
    [{ type: "number", minimum: 2, multipleOf: 2 }, 1],
    [{ type: "number", exclusiveMaximum: 2 }, 2],
    [{ type: "array", minItems: 2 }, [1]],
    [
      { type: "object", maxProperties: 1 },
      { a: 1, b: 2 },
    ],
    [{ not: { type: "string" } }, "x"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, true],
    [{ $ref: "#/$defs/place", $defs: { place: { type: "object", required: ["x"] } } }, {}],
    [{ properties: { at: { $ref: "#/$defs/x" } }, $defs: { x: { minimum: 3 } } }, { at: 1 }],
    [{ type: "object", required: ["constructor"] }, {}],
    [{ type: "object", properties: { type: { type: "string" } } }, { type: 1 }],
    [{ $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: [{ type: "string" }] }, [1]],
    [address, { "a/b": [1] }],
    [{ type: "object", properties: { a: { type: "string" } } }, { a: undefined }],
    [{ type: "string", nullable: true }, null],
    [{ type: "string", nullable: true }, 5],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }],
    [
      { properties: { "città #%/~": { type: "object", properties: { 城市: { type: "string" } } } } },
      { "città #%/~": { 城市: 1 } },
    ],
    [{ contains: { type: "string" }, minContains: 2, maxContains: 3 }, ["a"]],
    [{ type: "string", pattern: "[\\w-:]" }, "!"],
    [{ type: "string", pattern: "^\\_\\-{x}$" }, "_-{x"],
    [{ type: "string", pattern: "^\\_\\-{x}$" }, "_-{x}"],
    [
      { patternProperties: { "[\\w-:]": { type: "string" } }, additionalProperties: false },
      { a: 1, "!": 2 },
    ],
    [{ $defs: { n: { $anchor: "n", type: "number" } }, properties: { value: { $ref: "#n" } } }, { value: "x" }],
    [{ $defs: { n: { $anchor: "n", minimum: 5 } }, properties: { value: { $ref: "#n" } } }, { value: 1 }],
    [
      { $id: "https://e.com/t", properties: { kid: { $ref: "https://e.com/t" }, kind: { enum: ["a"] } } },
      { kid: { kind: "c" } },
    ],
    [{ $id: "https://e.com/u", additionalProperties: false, properties: { kid: { $ref: "u" } } }, { kid: { oops: 1 } }],
    [
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "#/properties/b", minLength: 2 }, b: {} },
      },
      { a: "x" },
    ],
    [{ $dynamicAnchor: "n", properties: { kid: { $dynamicRef: "#n" }, n: { type: "number" } } }, { kid: { n: "x" } }],
  ])("%j of %j", async (schema, value) => {
    const compiled = (await new JsonSchemaValidator().compile(schema))(value);
    const interpreted = (await new SchemaCompilers(true).compile(schema))(value);
    if (value !== undefined && JSON.stringify(value) === "{}" && compiled !== undefined && !("required" in schema))
      return;
    expect(sorted(interpreted)).toEqual(sorted(compiled));
  });

  it("and refuses what is not a valid schema", async () => {
    for (const schema of [
      { type: "strin" },
      { pattern: "(" },
      { $ref: "#/$defs/nowhere" },
      { $ref: "https://x.test/a" },
      { $ref: 5 },
      { $ref: "#" },
      { $id: "not a uri" },
      { nullable: true },
      { $defs: { a: { $anchor: "q" }, b: { $anchor: "q" } } },
      { required: null },
      { enum: "a" },
      { multipleOf: 0 },
      { anyOf: [] },
      { properties: { a: null } },
      { patternProperties: { "(": {} } },
    ]) {
      await expect(new SchemaCompilers(true).compile(schema)).rejects.toMatchObject({
        code: "SCHEMA_INVALID",
      });
    }
    expect((await new SchemaCompilers(true).compile({ type: "object" }))(() => 1)).toHaveLength(1);
  });
});

it("runs tools, questions and approvals where code may not be made from strings", () => {
  expect(isCodeForbidden()).toBe(false);
  const flag = "--disallow-code-generation-from-strings";
  const output = execFileSync(process.execPath, [flag, programOf(child)], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({
    forbidden: true,
    refused: "ANSWER_MISMATCH",
    result: "paid 3 to Ada, true",
    issue: "must have required property 'city'",
  });
});
