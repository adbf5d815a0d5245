import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleChild } from "../../bench/gates/children.js";
import { JsonSchemaValidator } from "../../src/schema/json-schema-validator.js";

const validator = new JsonSchemaValidator();
const issues = async (schema: object, value: unknown) =>
  (await validator.compile(schema))(value)?.map(({ path = [], message }) => `${path.join(".")}: ${message}`);

describe("a schema", () => {
  it("is compiled once per object", () => {
    const schema = { type: "object" };
    expect(validator.compile(schema)).toBe(validator.compile(schema));
    expect(validator.compile({ type: "object" })).not.toBe(validator.compile(schema));
  });

  it("is compiled once per text, and keeps what it said when the object that was compiled changes", async () => {
    const schema = { enum: ["a", "b"] };
    const check = await validator.compile(schema);
    schema.enum.push("c");
    expect(await validator.compile({ enum: ["a", "b"] })).toBe(check);
    expect(check("c")).toHaveLength(1);
    expect(await issues({ enum: ["a", "b", "c"] }, "c")).toBeUndefined();
  });

  it("is checked as before when hundreds of others have been compiled since", async () => {
    const many = new JsonSchemaValidator();
    const first = { const: "first" };
    await many.compile(first);
    for (let n = 0; n < 450; n++) await many.compile({ const: n });
    const check = await many.compile(first);
    expect([check("first"), check(1)]).toEqual([undefined, [expect.anything()]]);
    expect((await many.compile({ const: "first" }))("first")).toBeUndefined();
  });

  it("gives all issues with their paths, and nothing for a value that fits", async () => {
    const schema = {
      type: "object",
      properties: {
        "a/b": { type: "array", items: { type: "number" } },
        kind: { enum: ["x", "y"] },
        one: { const: 1 },
      },
      required: ["kind"],
      additionalProperties: false,
    };
    expect(await issues(schema, { "a/b": [1], kind: "x", one: 1 })).toBeUndefined();
    expect(await issues(schema, { "a/b": [1, "2"], kind: "z", more: 1, one: 2 })).toEqual([
      ': must NOT have additional properties: "more"',
      "a/b.1: must be number",
      'kind: must be equal to one of the allowed values: ["x","y"]',
      "one: must be equal to constant: 1",
    ]);
    expect(await issues(schema, {})).toEqual([": must have required property 'kind'"]);
  });

  it("may have patterns that are only valid without the flag u, and those that need it", async () => {
    expect(await issues({ pattern: "^[\\w-:]+$" }, "a-b:c")).toBeUndefined();
    expect(await issues({ pattern: "^[\\w-:]+$" }, "a b")).toHaveLength(1);
    expect(await issues({ pattern: "^\\p{Script=Han}.$" }, "漢😀")).toBeUndefined();
    await expect(validator.compile({ pattern: "(" })).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
  });

  it("knows draft 2020-12, also when it does not say so", async () => {
    expect(await issues({ prefixItems: [{ type: "number" }], items: false }, [1, 2])).toHaveLength(1);
    expect(
      await issues(
        {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          allOf: [{ properties: { a: true } }],
          unevaluatedProperties: false,
        },
        { b: 1 },
      ),
    ).toEqual([': must NOT have unevaluated properties: "b"']);
  });

  it("knows draft-07 when it says so", async () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      items: [{ type: "number" }],
      additionalItems: false,
    };
    expect(await issues(schema, [1, 2])).toHaveLength(1);
    expect(await issues(schema, [1])).toBeUndefined();
  });

  it("checks formats", async () => {
    expect(await issues({ type: "string", format: "date-time" }, "2026-11-20T10:00:00Z")).toBeUndefined();
    expect(await issues({ type: "string", format: "date-time" }, "today")).toEqual([': must match format "date-time"']);
    expect(await issues({ $schema: "http://json-schema.org/draft-07/schema#", format: "email" }, "x")).toHaveLength(1);
  });

  it("may have the same $id as another one, and refer to itself by it", async () => {
    const tree = (type: string) => ({
      $id: "https://example.com/tree",
      properties: { value: { type }, child: { $ref: "https://example.com/tree" } },
    });
    expect(await issues(tree("number"), { child: { value: "x" } })).toEqual(["child.value: must be number"]);
    expect(await issues(tree("string"), { child: { value: "x" } })).toBeUndefined();
  });

  it("may refer to its own parts, and never to other documents", async () => {
    expect(await issues({ $defs: { n: { type: "number" } }, $ref: "#/$defs/n" }, "x")).toHaveLength(1);
    await expect(validator.compile({ $ref: "https://example.com/other.json" })).rejects.toMatchObject({
      code: "SCHEMA_INVALID",
    });
  });

  it("that is none is refused, with the reason", async () => {
    await expect(validator.compile({ type: "strng" })).rejects.toThrow("This is not a valid JSON Schema");
    await expect(validator.compile({ $schema: "http://json-schema.org/draft-04/schema#" })).rejects.toMatchObject({
      code: "SCHEMA_UNSUPPORTED",
      message: expect.stringContaining("draft-04"),
    });
  });

  it("does not change the value", async () => {
    const value = { n: "1" };
    await issues({ properties: { n: { type: "number" }, more: { default: 1 } } }, value);
    expect(value).toEqual({ n: "1" });
  });
});

it("works in a bundle whose code is split", async () => {
  const bundle = await bundleChild(join(import.meta.dirname, "json-schema-validator-child.ts"), []);
  try {
    const issue = [expect.stringContaining('must match format "email"')];
    expect(await bundle.run([])).toEqual([issue, issue]);
  } finally {
    bundle.close();
  }
});
