import { openApiTools } from "kumiko/openapi";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";

/** The tool of a document with one operation, whose body has this schema. */
async function toolFor(schema: unknown, schemas: object = {}, openapi = "3.1.0") {
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const document = { openapi, paths: { "/a": { post: { requestBody } } }, components: { schemas } };
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return new Response(null, { status: 204 });
  };
  const [tool] = await openApiTools(document, { baseUrl: "http://a.example", fetch });
  if (tool === undefined) throw new Error("no tool");
  const { properties, $defs } = tool.info.toJsonSchema() ?? {};
  const accepts = async (body: unknown): Promise<boolean> => {
    await tool.invoke(JSON.stringify({ body }), toolContext()).catch(() => undefined);
    return sent.splice(0).length > 0;
  };
  return { body: (properties as { body: unknown }).body, $defs, accepts };
}

describe("what a schema refers to", () => {
  it("stands under $defs, once, also when it refers to itself", async () => {
    const Pet = {
      type: "object",
      properties: { name: { type: "string" }, friends: { type: "array", items: { $ref: "#/components/schemas/Pet" } } },
      required: ["name"],
    };
    const { body, $defs, accepts } = await toolFor({ $ref: "#/components/schemas/Pet" }, { Pet, Unused: {} });
    expect(body).toEqual({ $ref: "#/$defs/Pet" });
    expect($defs).toEqual({
      Pet: { ...Pet, properties: { ...Pet.properties, friends: { type: "array", items: { $ref: "#/$defs/Pet" } } } },
    });
    expect(await accepts({ name: "Tama", friends: [{ name: "Kuro", friends: [] }] })).toBe(true);
    expect(await accepts({ name: "Tama", friends: [{ friends: [] }] })).toBe(false);
  });

  it("keeps apart what has the same last name, and finds names with strange characters", async () => {
    const schemas = {
      A: { properties: { x: { type: "string" } } },
      x: { type: "number" },
      "odd/name é": { enum: [1] },
    };
    const { body, $defs } = await toolFor(
      {
        properties: {
          a: { $ref: "#/components/schemas/A/properties/x" },
          b: { $ref: "#/components/schemas/x" },
          c: { $ref: "#/components/schemas/odd~1name%20%C3%A9" },
        },
      },
      schemas,
    );
    expect(body).toEqual({
      properties: {
        a: { $ref: "#/$defs/x" },
        b: { $ref: "#/$defs/x_2" },
        c: { $ref: "#/$defs/odd_1name_20_C3_A9" },
      },
    });
    expect($defs).toEqual({ x: { type: "string" }, x_2: { type: "number" }, odd_1name_20_C3_A9: { enum: [1] } });
  });

  it("may have keywords beside it in 3.1, and none in 3.0", async () => {
    const schema = { $ref: "#/components/schemas/A", description: "beside" };
    expect((await toolFor(schema, { A: {} })).body).toEqual({ $ref: "#/$defs/A", description: "beside" });
    expect((await toolFor(schema, { A: {} }, "3.0.3")).body).toEqual({ $ref: "#/$defs/A" });
  });

  it("is found below every keyword that holds schemas, and nowhere else", async () => {
    const $ref = "#/components/schemas/A";
    const written = { $ref: "#/$defs/A" };
    const keywords = (reference: object) => ({
      properties: { $ref: { type: "string" }, a: reference },
      patternProperties: { "^b": reference },
      allOf: [{ anyOf: [reference] }, { oneOf: [reference, {}] }],
      additionalProperties: reference,
      not: { items: reference, contains: reference },
      if: reference,
      then: reference,
      else: reference,
    });
    const data = { default: { $ref }, enum: [{ $ref }], const: { $ref }, examples: [{ $ref }] };
    const { body } = await toolFor({ ...keywords({ $ref }), ...data }, { A: { type: "string" } });
    expect(body).toEqual({ ...keywords(written), ...data });
  });
});

describe("the dialect of 3.0", () => {
  const written = async (schema: object) => (await toolFor(schema, {}, "3.0.3")).body;

  it("becomes JSON Schema: nullable, exclusive limits, examples", async () => {
    expect(await written({ type: "string", nullable: true })).toEqual({ type: ["string", "null"] });
    expect(await written({ type: "string", nullable: true, enum: ["a"] })).toEqual({
      type: ["string", "null"],
      enum: ["a", null],
    });
    expect(await written({ allOf: [{ type: "string" }], nullable: true, description: "d" })).toEqual({
      description: "d",
      anyOf: [{ allOf: [{ type: "string" }] }, { type: "null" }],
    });
    expect(await written({ type: "string", nullable: false })).toEqual({ type: "string" });
    expect(await written({ minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false })).toEqual({
      exclusiveMinimum: 1,
      maximum: 2,
    });
    expect(await written({ type: "string", example: "a" })).toEqual({ type: "string", examples: ["a"] });
  });

  it("is checked as such", async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true, nullable: true } },
    };
    const { accepts } = await toolFor(schema, {}, "3.0.3");
    expect([await accepts({ n: 1 }), await accepts({ n: null }), await accepts({ n: 0 })]).toEqual([true, true, false]);
  });

  it("is not read into a document of 3.1", async () => {
    const schema = { type: "number", exclusiveMinimum: 3, nullable: true };
    expect((await toolFor(schema)).body).toEqual(schema);
  });
});

describe("a request", () => {
  it("has no properties that only the service sets, and need not", async () => {
    const schemas = { Id: { type: "string", readOnly: true } };
    const properties = {
      id: { $ref: "#/components/schemas/Id" },
      made: { type: "string", readOnly: true },
      name: { type: "string" },
    };
    const { body } = await toolFor({ type: "object", properties, required: ["id", "made", "name"] }, schemas);
    expect(body).toEqual({ type: "object", properties: { name: { type: "string" } }, required: ["name"] });
  });

  it("says nothing of XML, discriminators, links and extensions", async () => {
    const schema = { type: "object", xml: {}, discriminator: { propertyName: "a" }, externalDocs: {}, "x-note": 1 };
    expect((await toolFor(schema)).body).toEqual({ type: "object" });
  });

  it("leaves patterns to the service that JavaScript cannot read, and checks those of the old kind", async () => {
    expect((await toolFor({ type: "string", pattern: "(?i)^a" })).body).toEqual({ type: "string" });
    const { body, accepts } = await toolFor({ type: "string", pattern: "^[\\w-:]+$" });
    expect(body).toEqual({ type: "string", pattern: "^[\\w-:]+$" });
    expect([await accepts("a-b:c"), await accepts("a b")]).toEqual([true, false]);
  });

  it("takes schemas that are true or false", async () => {
    const { body, accepts } = await toolFor({ properties: { any: true, none: false } });
    expect(body).toEqual({ properties: { any: true, none: false } });
    expect([await accepts({ any: 1 }), await accepts({ none: 1 })]).toEqual([true, false]);
  });
});
