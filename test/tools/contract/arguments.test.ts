import { type AgenticMessage, AgenticToolsNode, contextKey, createTool, RequestContext, type ToolError } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, noting, rejectionOf, textsOf } from "./asking.js";

const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;

const show = (inputSchema: z.ZodType | Record<string, unknown>, more: object = {}) =>
  createTool({
    id: "show",
    description: "",
    inputSchema: inputSchema as never,
    execute: (input) => JSON.stringify(input),
    ...more,
  });

describe("arguments", () => {
  it.each(["", "  ", "\n\t"])("that are empty text (%j) are {}", async (text) => {
    const seen: unknown[] = [];
    const tool = createTool({
      id: "t",
      description: "",
      inputSchema: z.object({ a: z.string().default("d") }),
      execute: (input) => noting(seen, input, "ok"),
    });
    for (const run of both(new AgenticToolsNode([tool]), asking(["t", text])))
      expect(textsOf(await run())).toEqual(["ok"]);
    expect(seen).toEqual([{ a: "d" }, { a: "d" }]);
  });

  it.each(["[]", "[1]", '"text"', "7", "true", "null"])(
    "that are JSON and no object (%s) do not fit, with or without a schema",
    async (text) => {
      let ran = 0;
      for (const tool of [
        createTool({ id: "t", description: "", execute: () => `${++ran}` }),
        createTool({ id: "t", description: "", inputSchema: { type: "object" }, execute: () => `${++ran}` }),
        createTool({ id: "t", description: "", inputSchema: z.looseObject({}), execute: () => `${++ran}` }),
      ]) {
        expect(await rejectionOf(new AgenticToolsNode([tool]).invoke(asking(["t", text])))).toMatchObject({
          kind: "validation",
        });
      }
      expect(ran).toBe(0);
    },
  );

  it.each(["{", '{"a":1}x', "undefined", "{'a':1}", '{"a":NaN}', "\ufeff{}x", '{"a":1,}'])(
    "that are no JSON (%s) are a parse error",
    async (text) => {
      const tool = createTool({ id: "t", description: "", execute: () => "ran" });
      expect(await rejectionOf(new AgenticToolsNode([tool]).invoke(asking(["t", text])))).toMatchObject({
        kind: "parse",
      });
    },
  );

  it("reach execute as the schema gives them: defaults, transforms, asynchronous checks", async () => {
    const tool = show(
      z.object({
        n: z.string().transform((text) => text.length),
        d: z.number().default(5),
        a: z.string().refine(async (text) => text !== "no"),
      }),
    );
    const node = new AgenticToolsNode({ tools: [tool], onSchemaError: "skip" } as never);
    expect(textsOf(await node.invoke(asking(["show", { n: "four", a: "yes" }])))).toEqual(['{"n":4,"d":5,"a":"yes"}']);
    expect(await rejectionOf(node.invoke(asking(["show", { n: "four", a: "no" }])))).toMatchObject({
      kind: "validation",
    });
  });

  it("with a __proto__ key do not change any prototype", async () => {
    const tool = createTool({
      id: "t",
      description: "",
      execute: (input) => `${(input as { polluted?: string }).polluted} ${Object.keys(input).join()}`,
    });
    const [text] = textsOf(
      await new AgenticToolsNode([tool]).invoke(asking(["t", '{"__proto__":{"polluted":"yes"},"constructor":1}'])),
    );
    expect(text).toMatch(/^undefined/);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it("that a tool changes do not change the message, nor another call", async () => {
    const tool = createTool({
      id: "t",
      description: "",
      inputSchema: { type: "object" },
      execute: (input) => {
        (input as { list?: number[] }).list?.push(9);
        return JSON.stringify(input);
      },
    });
    const message = asking(["t", { list: [1] }], ["t", { list: [1] }]);
    const node = new AgenticToolsNode([tool]);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(textsOf(await node.invoke(message))).toEqual(['{"list":[1,9]}', '{"list":[1,9]}']);
    }
  });

  it("with a schema that throws fail their own call only", async () => {
    const rude = {
      "~standard": {
        version: 1,
        vendor: "rude",
        validate: () => {
          throw new Error("rude schema");
        },
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    };
    const node = new AgenticToolsNode({
      onToolError: "result",
      tools: [
        createTool({ id: "t", description: "", inputSchema: rude as never, execute: () => "ran" }),
        createTool({ id: "ok", description: "", execute: () => "ok" }),
      ],
    });
    for (const run of both(node, asking(["t"], ["ok"]))) {
      const [bad, good] = blocksOf(await run());
      expect(bad).toMatchObject({ isError: true });
      expect(bad?.result).toContain("rude schema");
      expect(good?.result).toBe("ok");
    }
  });

  it("in rawArguments are the text, with integers beyond 2^53, for execute and ctx", async () => {
    const text = '{"id": 9007199254740993, "x": 1}';
    const raw = createTool({
      id: "raw",
      description: "",
      rawArguments: true,
      inputSchema: z.object({ id: z.int(), x: z.number() }),
      execute: (given, ctx) => `${given}|${ctx.rawArguments}`,
    });
    const plain = createTool({ id: "plain", description: "", execute: (_input, ctx) => `${ctx.rawArguments}` });
    const node = new AgenticToolsNode([raw, plain]);
    expect(textsOf(await node.invoke(asking(["raw", text], ["plain", text])))).toEqual([`${text}|${text}`, text]);
  });
});

describe("coerceArguments", () => {
  const schema = z.object({
    list: z.array(z.number()).optional(),
    nested: z.object({ on: z.boolean() }).optional(),
    n: z.number().optional(),
    on: z.boolean().optional(),
    text: z.string().optional(),
  });
  const node = (coerceArguments: boolean) => new AgenticToolsNode({ tools: [show(schema)], coerceArguments });

  it.each([
    ["a list as text", { list: "[1,2]" }, { list: [1, 2] }],
    ["an object as text", { nested: '{"on":true}' }, { nested: { on: true } }],
    ["a number as text", { n: "7" }, { n: 7 }],
    ["a boolean as text", { on: "true" }, { on: true }],
    ["null for what is optional", { n: null, text: "x" }, { text: "x" }],
    ["all as text", JSON.stringify('{"n":1}'), { n: 1 }],
    ["garbage behind", '{"n":1}\n```', { n: 1 }],
    ["deep inside", { nested: { on: "false" } }, { nested: { on: false } }],
  ])("repairs %s, only when it is on, and reports it", async (_what, given, expected) => {
    const events: unknown[] = [];
    const options = { callbacks: [{ onEvent: (_info: unknown, value: unknown) => void events.push(value) }] };
    expect(JSON.parse(textsOf(await node(true).invoke(asking(["show", given]), options))[0] ?? "")).toEqual(expected);
    expect(events).toMatchObject([{ kind: "repaired_arguments" }]);
    expect(await rejectionOf(node(false).invoke(asking(["show", given])))).toMatchObject({ name: "ToolError" });
  });

  it.each([
    ["a text that looks like JSON and should be text", { text: "[1,2]" }, { text: "[1,2]" }],
    ["valid arguments", { n: 1, list: [] }, { n: 1, list: [] }],
  ])("leaves %s alone", async (_what, given, expected) => {
    const events: unknown[] = [];
    const options = { callbacks: [{ onEvent: (_info: unknown, value: unknown) => void events.push(value) }] };
    expect(JSON.parse(textsOf(await node(true).invoke(asking(["show", given]), options))[0] ?? "")).toEqual(expected);
    expect(events).toEqual([]);
  });

  it.each([[{ n: "seven" }], [{ list: "[1," }], [{ on: "yes" }], [{ list: '{"a":1}' }], ['{"n":1'], ["garbage"]])(
    "does not guess at %j",
    async (given) => {
      expect(await rejectionOf(node(true).invoke(asking(["show", given])))).toMatchObject({ name: "ToolError" });
    },
  );

  it.each([
    ["a deep list", `{"n":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "validation"],
    ["what only begins", '{"a":'.repeat(50_000), "parse"],
    ["a long text", `{"n":"${"x".repeat(1_000_000)}"}`, "validation"],
    ["many keys", `{"n":"x",${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join()}}`, "validation"],
  ])("has a short error of its kind for %s", async (_what, text, kind) => {
    for (const coerceArguments of [false, true]) {
      const error = (await rejectionOf(node(coerceArguments).invoke(asking(["show", text])))) as ToolError;
      expect(error.kind).toBe(kind);
      expect(error.message.length).toBeLessThan(1_500);
    }
  });

  it("works for plain JSON Schemas and keeps the text of rawArguments as it was", async () => {
    const tool = createTool({
      id: "show",
      description: "",
      inputSchema: { type: "object", properties: { list: { type: "array", items: { type: "integer" } } } },
      execute: (input, ctx) => `${JSON.stringify(input)} ${ctx.rawArguments}`,
    });
    const text = '{"list":"[1]"}';
    expect(
      textsOf(await new AgenticToolsNode({ tools: [tool], coerceArguments: true }).invoke(asking(["show", text]))),
    ).toEqual([`{"list":[1]} ${text}`]);
  });
});

describe("requestContextSchema", () => {
  const tenant = contextKey<string>("tenant");
  let ran = 0;
  const tool = createTool({
    id: "t",
    description: "",
    requestContextSchema: z.object({ tenant: z.string() }),
    execute: (_input, ctx) => `${++ran} ${ctx.requestContext.get("tenant")}`,
  });

  it("keeps a tool from running, with an isError result of kind validation, whatever onToolError says", async () => {
    ran = 0;
    for (const onToolError of ["throw", "result", () => "mine"] as const) {
      const node = new AgenticToolsNode({ tools: [tool], onToolError });
      for (const options of [{}, { requestContext: { tenant: 7 } }, { requestContext: new RequestContext() }]) {
        const [block] = blocksOf(await node.invoke(asking(["t"]), options));
        expect(block).toMatchObject({ isError: true, errorKind: "validation" });
        expect(blocksOf(await joined(node.stream(asking(["t"]), options)))).toEqual([block]);
      }
    }
    expect(ran).toBe(0);
  });

  it("passes with a RequestContext or a plain record; further entries do no harm", async () => {
    ran = 0;
    const node = new AgenticToolsNode([tool]);
    const texts: string[] = [];
    for (const requestContext of [
      new RequestContext().set(tenant, "a"),
      new RequestContext([["tenant", "b"]] as never),
      { tenant: "c", more: 1 },
    ]) {
      texts.push(...textsOf(await node.invoke(asking(["t"]), { requestContext })));
    }
    expect(texts).toEqual(["1 a", "2 b", "3 c"]);
  });
});
