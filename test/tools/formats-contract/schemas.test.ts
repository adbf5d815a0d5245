import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { type } from "arktype";
import { AgenticToolsNode, createTool, KumikoError, mcpTools } from "kumiko";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { parametersOf, rejection, resultOf, thrown } from "./caller.js";

const echo = (input: unknown) => input;

const expected = {
  type: "object",
  properties: { city: { type: "string" }, unit: { enum: ["C", "F"] } },
  required: ["city"],
};

const described = {
  zod: z.object({ city: z.string(), unit: z.enum(["C", "F"]).optional() }),
  arktype: type({ city: "string", "unit?": "'C' | 'F'" }),
  valibot: toStandardJsonSchema(v.object({ city: v.string(), unit: v.optional(v.picklist(["C", "F"])) })),
  "draft 2020-12": { $schema: "https://json-schema.org/draft/2020-12/schema", ...expected },
  "draft-07": { $schema: "http://json-schema.org/draft-07/schema#", ...expected },
  "no $schema": expected,
};

describe("what a model gets of an inputSchema, and what is checked", () => {
  for (const [name, inputSchema] of Object.entries(described)) {
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "weather", description: "Weather.", inputSchema, execute: echo })],
      onToolError: "result",
    });

    it(`${name} becomes a JSON Schema object`, () => {
      const schema = parametersOf(node, "weather");
      expect(schema).toMatchObject({ type: "object", required: ["city"] });
      expect(schema?.properties).toMatchObject({ city: { type: "string" }, unit: { enum: ["C", "F"] } });
    });

    it(`${name} checks the arguments`, async () => {
      expect((await resultOf(node, "weather", { city: "深圳", unit: "C" })).result).toBe('{"city":"深圳","unit":"C"}');
      const misfit = await resultOf(node, "weather", { city: 7 });
      expect(misfit).toMatchObject({ isError: true, errorKind: "validation" });
      expect(misfit.result).toContain("city");
      expect(misfit.result).toContain("7");
    });
  }

  it("a tool without a schema tells a model of no parameters, and takes any object", async () => {
    const node = new AgenticToolsNode([createTool({ id: "any", description: "Any.", execute: echo })]);
    expect(parametersOf(node, "any")).toBeUndefined();
    expect((await resultOf(node, "any", { a: 1 })).result).toBe('{"a":1}');
    expect((await resultOf(node, "any", "")).result).toBe("{}");
  });

  it("the text of describe() reaches the model", () => {
    const inputSchema = z.object({ city: z.string().describe("Name of a city") }).describe("A place");
    const node = new AgenticToolsNode([createTool({ id: "t", description: "d", inputSchema, execute: echo })]);
    expect(parametersOf(node, "t")).toMatchObject({ properties: { city: { description: "Name of a city" } } });
  });

  it("a model sees the input side of a schema: defaults are optional, transforms are what they take", async () => {
    const inputSchema = z.object({
      limit: z.number().default(10),
      tags: z.string().transform((text) => text.split(",")),
    });
    const node = new AgenticToolsNode([createTool({ id: "t", description: "d", inputSchema, execute: echo })]);
    const schema = parametersOf(node, "t");
    expect(schema?.required).toEqual(["tags"]);
    expect(schema).toMatchObject({ properties: { tags: { type: "string" } } });
    expect((await resultOf(node, "t", { tags: "a,b" })).result).toBe('{"limit":10,"tags":["a","b"]}');
  });

  it("a date is a date-time text for the model, and a Date for the tool", async () => {
    const inputSchema = z.object({ at: z.date(), more: z.array(z.date()).optional() });
    const node = new AgenticToolsNode([
      createTool({
        id: "t",
        description: "d",
        inputSchema,
        execute: ({ at, more }) =>
          `${at instanceof Date} ${at.getTime()} ${more?.every((each) => each instanceof Date)}`,
      }),
    ]);
    expect(parametersOf(node, "t")).toMatchObject({ properties: { at: { type: "string", format: "date-time" } } });
    const { result } = await resultOf(node, "t", { at: "2026-01-02T03:04:05Z", more: ["2026-01-02T00:00:00Z"] });
    expect(result).toBe("true 1767323045000 true");
  });

  it("a text that is no date where a date is wanted is an error with its path", async () => {
    const inputSchema = z.object({ at: z.date() });
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    for (const at of ["tomorrow", "", "2026-13-45T00:00:00Z"]) {
      const result = await resultOf(node, "t", { at });
      expect(result).toMatchObject({ errorKind: "validation" });
      expect(result.result).toContain("at");
    }
  });

  it("the top level is an object, also for a discriminated union", async () => {
    const inputSchema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]);
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    expect(parametersOf(node, "t")?.type).toBe("object");
    expect((await resultOf(node, "t", { kind: "circle", radius: 1 })).result).toBe('{"kind":"circle","radius":1}');
    expect(await resultOf(node, "t", { kind: "circle", side: 1 })).toMatchObject({ errorKind: "validation" });
  });

  it("a recursive schema keeps references that resolve inside what the model gets", async () => {
    interface Category {
      name: string;
      children: Category[];
    }
    const category: z.ZodType<Category> = z.lazy(() => z.object({ name: z.string(), children: z.array(category) }));
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema: z.object({ root: category }), execute: echo })],
      onToolError: "result",
    });
    const schema = parametersOf(node, "t");
    for (const reference of referencesIn(schema)) expect(resolves(schema, reference)).toBe(true);
    const input = { root: { name: "a", children: [{ name: "b", children: [] }] } };
    expect((await resultOf(node, "t", input)).result).toBe(JSON.stringify(input));
    expect(await resultOf(node, "t", { root: { name: "a", children: [{ name: 1 }] } })).toMatchObject({
      isError: true,
    });
  });

  it("a plain JSON Schema goes to the model untouched, $defs included", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/point" }, b: { $ref: "#/$defs/point" } },
      required: ["a"],
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
    };
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    expect(parametersOf(node, "t")).toMatchObject(inputSchema);
    const misfit = await resultOf(node, "t", { a: { x: "1" } });
    expect(misfit.result).toContain("a.x");
  });

  it("references of draft-07 (definitions) are checked too", async () => {
    const inputSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { list: { type: "array", items: [{ $ref: "#/definitions/id" }, { type: "string" }] } },
      definitions: { id: { type: "integer" } },
    };
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    expect((await resultOf(node, "t", { list: [1, "a"] })).isError).toBeUndefined();
    expect((await resultOf(node, "t", { list: ["a", "a"] })).result).toContain("list");
  });

  it("formats and keywords of 2020-12 are enforced", async () => {
    const inputSchema = {
      type: "object",
      properties: { mail: { type: "string", format: "email" }, pair: { prefixItems: [{ type: "string" }] } },
      unevaluatedProperties: false,
    };
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    expect((await resultOf(node, "t", { mail: "a@b.example", pair: ["x"] })).isError).toBeUndefined();
    for (const misfit of [{ mail: "nobody" }, { pair: [1] }, { other: 1 }])
      expect(await resultOf(node, "t", misfit)).toMatchObject({ errorKind: "validation" });
  });

  it("a tool is told of every misfit, not only of the first", async () => {
    for (const inputSchema of [
      z.object({ a: z.string(), b: z.string() }),
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
    ]) {
      const node = new AgenticToolsNode({
        tools: [createTool({ id: "t", description: "d", inputSchema, execute: echo })],
        onToolError: "result",
      });
      const { result } = await resultOf(node, "t", { a: 1, b: 2 });
      expect(result).toMatch(/- a: .*\n- b: /s);
    }
  });

  it("the same schema object may serve many tools", async () => {
    const inputSchema = { $id: "https://example.com/shared", type: "object", properties: { n: { type: "number" } } };
    const make = (id: string) => createTool({ id, description: "d", inputSchema, execute: echo });
    const node = new AgenticToolsNode([make("one"), make("two")]);
    expect((await resultOf(node, "one", { n: 1 })).result).toBe('{"n":1}');
    expect((await resultOf(node, "two", { n: 2 })).result).toBe('{"n":2}');
  });

  it("two schemas with one $id are two schemas", async () => {
    const schema = (kind: string) => ({
      $id: "https://example.com/same",
      type: "object",
      properties: { n: { type: kind } },
    });
    const make = (id: string, kind: string) =>
      createTool({ id, description: "d", inputSchema: schema(kind), execute: echo });
    const node = new AgenticToolsNode([make("numbers", "number"), make("texts", "string")]);
    expect((await resultOf(node, "numbers", { n: 1 })).result).toBe('{"n":1}');
    expect((await resultOf(node, "texts", { n: "1" })).result).toBe('{"n":"1"}');
  });

  it("a remote $ref is never fetched: nothing is checked by it", async () => {
    const inputSchema = { type: "object", properties: { a: { $ref: "http://127.0.0.1:1/schema.json" } } };
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "remote", description: "d", inputSchema, execute: echo })],
      onToolError: "result",
    });
    expect((await resultOf(node, "remote", { a: 1 })).result).toBe('{"a":1}');
  });

  it("a frozen schema works, and no schema is changed", async () => {
    const inputSchema = Object.freeze({
      type: "object",
      properties: Object.freeze({ n: Object.freeze({ type: "number", default: 3 }) }),
    });
    const copy = structuredClone(inputSchema);
    const node = new AgenticToolsNode([createTool({ id: "t", description: "d", inputSchema, execute: echo })]);
    parametersOf(node, "t");
    await resultOf(node, "t", { n: 1 });
    expect(inputSchema).toEqual(copy);
  });
});

describe("schemas of the AI SDK", () => {
  const schemas = {
    "a zod schema": z.object({ city: z.string() }),
    "zodSchema()": zodSchema(z.object({ city: z.string() })),
    "zodSchema() of zod 3": zodSchema(z3.object({ city: z3.string() })),
    "jsonSchema()": jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    }),
    "a lazy schema": () => zodSchema(z.object({ city: z.string() })),
    "a lazy jsonSchema()": jsonSchema<{ city: string }>(() => ({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    })),
  };
  for (const [name, inputSchema] of Object.entries(schemas)) {
    it(`${name} is told to the model, and checked`, async () => {
      const weather = tool({ description: "d", inputSchema: inputSchema as never, execute: async (input) => input });
      const node = new AgenticToolsNode({ tools: { weather }, onToolError: "result" });
      expect(parametersOf(node, "weather")).toMatchObject({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      });
      expect((await resultOf(node, "weather", { city: "x" })).result).toBe('{"city":"x"}');
      expect(await resultOf(node, "weather", { city: 1 })).toMatchObject({ errorKind: "validation" });
    });
  }

  it("a jsonSchema() with a validate of its own: that decides, and its value is the input", async () => {
    const inputSchema = jsonSchema<{ n: number }>(
      { type: "object", properties: { n: { type: "number" } } },
      {
        validate: (value) => {
          const { n } = value as { n: number };
          return n > 0
            ? { success: true, value: { n: n * 2 } }
            : { success: false, error: new Error("n must be positive") };
        },
      },
    );
    const node = new AgenticToolsNode({
      tools: { double: tool({ inputSchema, execute: async ({ n }) => n }) },
      onToolError: "result",
    });
    expect((await resultOf(node, "double", { n: 4 })).result).toBe("8");
    const misfit = await resultOf(node, "double", { n: -4 });
    expect(misfit.errorKind).toBe("validation");
    expect(misfit.result).toContain("n must be positive");
  });

  it("a dynamicTool has a schema like any other", async () => {
    const node = new AgenticToolsNode({
      tools: { dynamic: dynamicTool({ inputSchema: z.object({ a: z.number() }), execute: async (input) => input }) },
      onToolError: "result",
    });
    expect(parametersOf(node, "dynamic")).toMatchObject({ properties: { a: { type: "number" } } });
    expect(await resultOf(node, "dynamic", { a: "1" })).toMatchObject({ errorKind: "validation" });
  });

  it("`parameters`, the name of version 4, is accepted", async () => {
    const old = {
      description: "d",
      parameters: z.object({ city: z.string() }),
      execute: async (input: unknown) => input,
    };
    const node = new AgenticToolsNode({ tools: { old }, onToolError: "result" });
    expect(parametersOf(node, "old")).toMatchObject({ properties: { city: { type: "string" } } });
    expect(await resultOf(node, "old", { city: 1 })).toMatchObject({ errorKind: "validation" });
  });
});

describe("schemas that cannot become JSON Schema", () => {
  const zod3 = z3.object({ city: z3.string() });
  const impossible = z.object({ outer: z.object({ inner: z.custom<() => void>((x) => typeof x === "function") }) });

  it("zod 3 is named, with what to do", () => {
    const bad = createTool({ id: "old_zod", description: "d", inputSchema: zod3 as never, execute: echo });
    const error = thrown(() => new AgenticToolsNode([bad]));
    expect(error).toBeInstanceOf(KumikoError);
    expect(String(error)).toContain("old_zod");
    expect(String(error)).toMatch(/zod/i);
  });

  it("all such tools are listed, each with the path where it fails", () => {
    const tools = [
      createTool({
        id: "first",
        description: "d",
        inputSchema: z.object({ a: z.object({ b: z.bigint() }) }),
        execute: echo,
      }),
      createTool({ id: "fine", description: "d", inputSchema: z.object({ a: z.string() }), execute: echo }),
      createTool({ id: "second", description: "d", inputSchema: impossible, execute: echo }),
      createTool({ id: "third", description: "d", inputSchema: zod3 as never, execute: echo }),
    ];
    const text = String(thrown(() => new AgenticToolsNode(tools)));
    for (const name of ["first", "second", "third"]) expect(text).toContain(`"${name}"`);
    expect(text).not.toContain('"fine"');
    expect(text).toContain("a.b");
    expect(text).toContain("outer.inner");
  });

  it('onSchemaError "skip" leaves them out, lists them, and keeps the others', async () => {
    const original = console.warn;
    const warnings: unknown[] = [];
    console.warn = (...parts: unknown[]) => warnings.push(parts.join(" "));
    try {
      const node = new AgenticToolsNode({
        tools: [
          createTool({ id: "fine", description: "d", inputSchema: z.object({ a: z.string() }), execute: echo }),
          createTool({ id: "broken", description: "d", inputSchema: impossible, execute: echo }),
        ],
        onSchemaError: "skip",
        onToolError: "result",
      });
      expect(node.infos.map(({ name }) => name)).toEqual(["fine"]);
      expect(node.skippedTools).toHaveLength(1);
      expect(JSON.stringify(warnings)).toContain("broken");
      expect((await resultOf(node, "fine", { a: "b" })).result).toBe('{"a":"b"}');
      expect(await resultOf(node, "broken")).toMatchObject({ errorKind: "unknown_tool" });
    } finally {
      console.warn = original;
    }
  });

  it("the same holds for tools of other packages", () => {
    const inputSchema = zod3 as never;
    const text = String(
      thrown(
        () =>
          new AgenticToolsNode({
            tools: {
              sdk: { description: "d", inputSchema, execute: echo },
              tan: { __toolSide: "server", name: "tan", description: "d", inputSchema, execute: echo },
            },
          }),
      ),
    );
    expect(text).toContain('"sdk"');
    expect(text).toContain('"tan"');
  });

  it("an outputSchema without a JSON form checks the output and is never told to a model", async () => {
    const node = new AgenticToolsNode({
      tools: [
        createTool({
          id: "t",
          description: "d",
          outputSchema: z3.object({ ok: z3.boolean() }) as never,
          execute: () => ({ ok: "yes" }) as never,
        }),
      ],
      onToolError: "result",
    });
    expect(JSON.stringify(node.infos)).not.toContain('"ok"');
    expect(await resultOf(node, "t")).toMatchObject({ errorKind: "output_validation" });
  });

  it("an inputSchema that is no schema at all is an error that names the tool", () => {
    for (const inputSchema of ["string", 7, []]) {
      const bad = () =>
        new AgenticToolsNode([
          createTool({ id: "odd", description: "d", inputSchema: inputSchema as never, execute: echo }),
        ]);
      expect(String(thrown(bad))).toContain("odd");
    }
  });
});

describe("hostile schemas", () => {
  it("a property named __proto__ or constructor is an ordinary property", async () => {
    const inputSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["constructor"]}',
    );
    const node = new AgenticToolsNode({
      tools: [
        createTool({
          id: "t",
          description: "d",
          inputSchema,
          execute: (input) => Object.keys(input as object).join(),
        }),
      ],
      onToolError: "result",
    });
    expect((await resultOf(node, "t", '{"__proto__":"a","constructor":"b"}')).result).toBe("__proto__,constructor");
    expect(await resultOf(node, "t", '{"constructor":1}')).toMatchObject({ errorKind: "validation" });
    expect(await resultOf(node, "t", "{}")).toMatchObject({ errorKind: "validation" });
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("a JSON Schema that ajv cannot compile does not keep its tool from running", async () => {
    const bad = createTool({
      id: "bad",
      description: "d",
      inputSchema: { type: "object", properties: { a: { type: "nonsense" } } },
      execute: echo,
    });
    const good = createTool({ id: "good", description: "d", execute: () => "fine" });
    const node = new AgenticToolsNode({ tools: [bad, good], onToolError: "result" });
    expect((await resultOf(node, "good")).result).toBe("fine");
    expect((await resultOf(node, "bad", { a: 1 })).result).toBe('{"a":1}');
  });

  it("a list of tools of a server is never emptied by one odd schema", async () => {
    const client = {
      listTools: async () => ({
        tools: [
          { name: "odd", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/missing" } } } },
          { name: "fine", inputSchema: { type: "object" } },
        ],
      }),
      callTool: async () => ({ content: [{ type: "text", text: "ok" }] }),
    };
    const node = new AgenticToolsNode({ tools: await mcpTools(client), onToolError: "result" });
    expect(node.infos.map(({ name }) => name)).toEqual(["odd", "fine"]);
    expect((await resultOf(node, "fine")).result).toBe("ok");
    expect((await resultOf(node, "odd", { a: 1 })).result).toBe("ok");
  });

  it("arguments nested deeper than a stack are an error of the call", async () => {
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "d", inputSchema: { type: "object" }, execute: () => "ran" })],
      onToolError: "result",
    });
    const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const outcome = await resultOf(node, "t", deep).then((result) => result.errorKind ?? result.result, rejection);
    expect(["ran", "parse", "validation"]).toContain(outcome);
  });
});

/** Every local reference in a schema. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

function resolves(schema: unknown, reference: string): boolean {
  let place: unknown = schema;
  for (const step of reference.split("/").slice(1))
    place = (place as Record<string, unknown> | undefined)?.[decodeURIComponent(step)];
  return reference.startsWith("#") && place !== undefined;
}
