import { type } from "arktype";
import { AgenticToolsNode, createTool, RequestContext, type ToolContext, toolOptions } from "kumiko";
import { expect, it } from "vitest";
import { z } from "zod";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { blocksOf, call, calls, textsOf, toolError } from "../node/calls.js";

const add = {
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
};

it("a function with a schema is a tool under the key of a record", async () => {
  const node = new AgenticToolsNode({ tools: { add } });
  expect(node.infos.map(({ name, description }) => [name, description])).toEqual([["add", "Adds."]]);
  expect(node.infos[0]?.toJsonSchema()).toMatchObject({ type: "object", required: ["a"] });
  expect(textsOf(await node.invoke(calls(call("add", { a: 2 }))))).toEqual(['{"sum":3}']);
});

it("its arguments are validated before it runs", async () => {
  let ran = false;
  const tools = { add: { ...add, execute: () => (ran = true) } };
  const error = await toolError(new AgenticToolsNode({ tools }).invoke(calls(call("add", { a: "2" }))));
  expect(error).toMatchObject({ kind: "validation", toolName: "add" });
  expect(error.message).toContain("a: ");
  expect(ran).toBe(false);
});

it("one with a name or an id may stand in a list", async () => {
  const node = new AgenticToolsNode([
    { name: "first", execute: () => "1" },
    { id: "second", execute: () => "2" },
  ]);
  expect(node.infos.map(({ name }) => name)).toEqual(["first", "second"]);
  expect(textsOf(await node.invoke(calls(call("second"), call("first"))))).toEqual(["2", "1"]);
});

it("the key of a record comes before its name", () => {
  const node = new AgenticToolsNode({ tools: { key: { name: "own", execute: () => "" } } });
  expect(node.infos.map(({ name }) => name)).toEqual(["key"]);
});

it("one without a name is refused in a list", () => {
  const error = thrownBy(() => new AgenticToolsNode([{ name: "a", execute: () => "" }, add]));
  expect(error.code).toBe("INVALID_TOOL");
  expect(error.message).toContain("tools[1] has no name");
});

it("two of one name are refused, whatever their format", () => {
  const native = createTool({ id: "a", description: "", execute: () => "" });
  const error = thrownBy(() => new AgenticToolsNode([native, { name: "a", execute: () => "" }]));
  expect(error.code).toBe("DUPLICATE_TOOL");
});

it("a plain JSON Schema and an ArkType schema work as they are", async () => {
  const properties = { city: { type: "string" } };
  const node = new AgenticToolsNode({
    tools: {
      json: {
        inputSchema: { type: "object", properties, required: ["city"] },
        execute: ({ city }: { city: string }) => city,
      },
      ark: { inputSchema: type({ city: "string" }), execute: ({ city }: { city: string }) => city },
    },
  });
  const message = calls(call("json", { city: "a" }), call("ark", { city: "b" }));
  expect(textsOf(await node.invoke(message))).toEqual(["a", "b"]);
  for (const name of ["json", "ark"]) {
    expect(await toolError(node.invoke(calls(call(name, { city: 1 }))))).toMatchObject({ kind: "validation" });
  }
});

it("one with a name gets the context of a native tool, and its chunks are the result", async () => {
  let seen: ToolContext | undefined;
  const spell = {
    name: "spell",
    prefix: ">",
    async *execute(this: { prefix: string }, _input: object, ctx: ToolContext) {
      seen = ctx;
      yield this.prefix;
      yield "ab";
    },
  };
  const node = new AgenticToolsNode([spell]);
  const chunks: unknown[] = [];
  for await (const chunk of node.stream(calls(call("spell", {}, "c-1")))) chunks.push(chunk);
  expect(chunks.length).toBe(2);
  expect(textsOf(await node.invoke(calls(call("spell", {}, "c-1"))))).toEqual([">ab"]);
  expect(seen).toMatchObject({ toolCallId: "c-1", toolName: "spell", rawArguments: "{}" });
  expect(seen?.signal).toBeInstanceOf(AbortSignal);
});

it("one without a name gets the context as a plain object, with all that a native tool gets", async () => {
  let seen: Record<string, unknown> = {};
  const tool = {
    inputSchema: z.object({}),
    execute: (_input: object, ctx: object) => {
      seen = { ...ctx };
      return "";
    },
  };
  const requestContext = new RequestContext([["user", "u-1"]]);
  await new AgenticToolsNode({ tools: { tool } }).invoke(calls(call("tool")), { requestContext });
  expect(seen).toMatchObject({ toolCallId: "tool", toolName: "tool", rawArguments: "{}", requestContext });
  expect(seen.signal).toBeInstanceOf(AbortSignal);
  expect(seen.progress).toBeTypeOf("function");
});

it("schemas that have no JSON form are named together, each with its tool and its path", () => {
  const execute = () => "";
  const tools = {
    good: { execute },
    first: { inputSchema: z.object({ list: z.array(z.symbol()) }), execute },
    second: { name: "other", inputSchema: z.object({ when: z.map(z.string(), z.string()) }), execute },
  };
  const error = thrownBy(() => new AgenticToolsNode({ tools }));
  expect(error.code).toBe("SCHEMA_UNSUPPORTED");
  expect(error.message).toMatch(/tools\["first"\]: Tool "first": .* no symbol at "list\[\]"/);
  expect(error.message).toMatch(/tools\["second"\]: Tool "second": .* no map at "when"/);
  expect(error.message).not.toContain("good");
});

it("a plain outputSchema of JSON is checked only where somebody says so", async () => {
  const tools = { tool: { name: "tool", outputSchema: { type: "number" }, execute: () => "x" } };
  expect(textsOf(await new AgenticToolsNode({ tools }).invoke(calls(call("tool"))))).toEqual(["x"]);
  const strict = new AgenticToolsNode({ tools, outputValidation: "error" });
  expect(await toolError(strict.invoke(calls(call("tool"))))).toMatchObject({ kind: "output_validation" });
});

it("a failure of a tool says which it was", async () => {
  const broken = {
    execute: () => {
      throw new Error("no network");
    },
  };
  const node = new AgenticToolsNode({ tools: { broken }, onToolError: "result" });
  const [block] = blocksOf(await node.invoke(calls(call("broken"))));
  expect(block).toMatchObject({ isError: true, errorKind: "execution", name: "broken" });
  expect(block?.result).toContain("no network");
});

it.each([
  ["with a name", { name: "slow" }],
  ["without one", { inputSchema: z.object({}) }],
])("its time limit holds, %s", async (_which, fields) => {
  const slow = { ...fields, timeoutMs: 5, execute: () => new Promise<string>(() => undefined) };
  const error = await toolError(new AgenticToolsNode({ tools: { slow } }).invoke(calls(call("slow"))));
  expect(error).toMatchObject({ kind: "timeout", toolName: "slow" });
});

it("a time limit that is none is refused", () => {
  const tools = { slow: { timeoutMs: -1, execute: () => "" } };
  expect(thrownBy(() => new AgenticToolsNode({ tools })).message).toContain('timeoutMs of tool "slow"');
});

it.each([{}, { component: "model" }, { name: "a" }, () => "", "tool"])("%o is no tool", (given) => {
  expect(thrownBy(() => new AgenticToolsNode({ tools: { a: plain(given) } })).message).toContain(
    'tools["a"] is not a tool',
  );
});

it("it has options, a rule for its chunks and the raw text of its arguments where it says so, like a tool of createTool", async () => {
  const limits = toolOptions("limits", { most: 2 });
  const node = new AgenticToolsNode([
    {
      name: "limited",
      options: limits,
      execute: (_input: unknown, ctx: ToolContext<{ most: number }>) => ctx.options.most,
    },
    {
      name: "sums",
      concat: (chunks: readonly number[]) => chunks.reduce((sum, chunk) => sum + chunk, 0),
      execute: async function* () {
        yield 1;
        yield 2;
      },
    },
    { name: "raw", rawArguments: true, execute: (text: string) => `got ${text}` },
  ]);
  const message = calls(call("limited"), call("sums"), call("raw", '{"n": 9007199254740993}'));
  const results = await node.invoke(message, { options: { tool: [limits.with({ most: 5 })] } });
  expect(textsOf(results)).toEqual(["5", "3", 'got {"n": 9007199254740993}']);
});
