import { asSchema, dynamicTool, jsonSchema, tool } from "ai";
import { AgenticToolsNode, createTool, RequestContext } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { blocksOf, call, calls, rejection, textsOf, toolError } from "../node/calls.js";

const weather = tool({
  description: "Weather of a city.",
  inputSchema: z.object({ city: z.string(), unit: z.enum(["c", "f"]).default("c") }),
  execute: async ({ city, unit }) => ({ city, degrees: unit === "c" ? 20 : 68 }),
});

it("a tool() works as it is, beside native ones, and has the key of the record as its name", async () => {
  const native = createTool({ id: "own", description: "", execute: () => "native" });
  const node = new AgenticToolsNode({ tools: { weather, native } });
  expect(node.infos.map(({ name }) => name)).toEqual(["weather", "native"]);
  expect(node.infos[0]?.toJsonSchema()).toMatchObject({ type: "object", required: ["city"] });
  const results = await node.invoke(calls(call("weather", { city: "深圳" }), call("native")));
  expect(textsOf(results)).toEqual(['{"city":"深圳","degrees":20}', "native"]);
});

it("its older field parameters is its inputSchema", async () => {
  const old = { description: "", parameters: z.object({ a: z.number() }), execute: ({ a }: { a: number }) => a + 1 };
  const node = new AgenticToolsNode({ tools: { old } });
  expect(textsOf(await node.invoke(calls(call("old", { a: 1 }))))).toEqual(["2"]);
  expect(await toolError(node.invoke(calls(call("old", { a: "1" }))))).toMatchObject({ kind: "validation" });
});

it("it gets its input alone, and the documented options second, as own properties", async () => {
  let seen: Record<string, unknown> = {};
  const spy = tool({
    inputSchema: z.object({}),
    execute: async (_input, options) => {
      seen = { ...options };
    },
  });
  const requestContext = new RequestContext([["user", "u-1"]]);
  const message = calls(call("spy", {}, "c-1"));
  await new AgenticToolsNode({ tools: { spy } }).invoke(message, { requestContext });
  expect(seen).toMatchObject({
    toolCallId: "c-1",
    messages: [message],
    context: { user: "u-1" },
    experimental_context: { user: "u-1" },
  });
  expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
});

it("its abortSignal is that of the run", async () => {
  const stop = new AbortController();
  let signal: AbortSignal | undefined;
  const slow = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) => {
      signal = abortSignal;
      stop.abort(new Error("enough"));
      return new Promise<string>(() => undefined);
    },
  });
  const running = new AgenticToolsNode({ tools: { slow } }).invoke(calls(call("slow")), { signal: stop.signal });
  expect(await rejection(running)).toMatchObject({ message: "enough" });
  expect(signal?.aborted).toBe(true);
});

it("jsonSchema() without validate is checked as the JSON Schema that it holds", async () => {
  const inputSchema = jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  });
  const node = new AgenticToolsNode({ tools: { weather: tool({ inputSchema, execute: ({ city }) => city }) } });
  expect(node.infos[0]?.toJsonSchema()).toMatchObject({ properties: { city: { type: "string" } } });
  expect(textsOf(await node.invoke(calls(call("weather", { city: "a" }))))).toEqual(["a"]);
  expect(await toolError(node.invoke(calls(call("weather", {}))))).toMatchObject({ kind: "validation" });
});

it.each([
  ["at once", (value: unknown) => value],
  ["later", async (value: unknown) => value],
])("jsonSchema() with a validate that answers %s is checked by it", async (_when, answer) => {
  const validate = (value: unknown) =>
    answer(
      (value as { n: number }).n > 0
        ? { success: true, value: { n: 10 * (value as { n: number }).n } }
        : { success: false, error: new Error("n must be positive") },
    ) as { success: true; value: { n: number } };
  const inputSchema = jsonSchema<{ n: number }>({ type: "object" }, { validate });
  const node = new AgenticToolsNode({ tools: { times: tool({ inputSchema, execute: ({ n }) => n }) } });
  expect(textsOf(await node.invoke(calls(call("times", { n: 2 }))))).toEqual(["20"]);
  expect((await toolError(node.invoke(calls(call("times", { n: -1 }))))).message).toContain("n must be positive");
});

it("a schema of the AI SDK made from zod, and a function that gives one, are opened", async () => {
  const schema = z.object({ a: z.number() });
  const execute = ({ a }: { a: number }) => String(a);
  const node = new AgenticToolsNode({
    tools: {
      made: tool({ inputSchema: asSchema(schema), execute }),
      lazy: tool({ inputSchema: () => asSchema(schema), execute }),
    },
  });
  const message = calls(call("made", { a: 1 }), call("lazy", { a: 2 }));
  expect(textsOf(await node.invoke(message))).toEqual(["1", "2"]);
  const error = await toolError(node.invoke(calls(call("lazy", { a: "2" }))));
  expect(error.issues?.map(({ path }) => path)).toEqual([["a"]]);
});

it("a schema that cannot be read names the tool, and no other", () => {
  const execute = () => "";
  const tools = {
    weather,
    later: tool({ inputSchema: jsonSchema(Promise.resolve({ type: "object" as const })), execute }),
    thrown: plain({
      inputSchema: () => {
        throw new Error("cannot load it");
      },
      execute,
    }),
  };
  const error = thrownBy(() => new AgenticToolsNode({ tools }));
  expect(error.code).toBe("SCHEMA_UNSUPPORTED");
  expect(error.message).toMatch(/tools\["later"\]: Tool "later": .*is a promise/);
  expect(error.message).toMatch(/tools\["thrown"\]: Tool "thrown": .*cannot load it/);
  expect(error.message).not.toContain("weather");
});

it("a schema with the keyword `then` is no promise", async () => {
  const inputSchema = jsonSchema({ if: { required: ["a"] }, then: { required: ["b"] } });
  const node = new AgenticToolsNode({ tools: { made: tool({ inputSchema, execute: () => "ran" }) } });
  expect(textsOf(await node.invoke(calls(call("made", { a: 1, b: 2 }))))).toEqual(["ran"]);
  await expect(node.invoke(calls(call("made", { a: 1 })))).rejects.toThrow("required property 'b'");
});

it("what it yields is progress, and the last of it the result", async () => {
  const events: unknown[] = [];
  const steps = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield { status: "loading" };
      yield { status: "done", degrees: 20 };
    },
  });
  const node = new AgenticToolsNode({ tools: { steps } });
  const message = calls(call("steps"));
  const callbacks = [{ onEvent: (_ctx: unknown, event: unknown) => void events.push(event) }];
  expect(textsOf(await node.invoke(message, { callbacks: plain(callbacks) }))).toEqual([
    '{"status":"done","degrees":20}',
  ]);
  expect(JSON.stringify(events)).toContain("loading");
  expect(textsOf((await node.stream(message).concat()) as never)).toEqual(['{"status":"done","degrees":20}']);
});

it("what it yields is no longer read once the run is stopped", async () => {
  const stop = new AbortController();
  let left = false;
  const steps = tool({
    inputSchema: z.object({}),
    async *execute() {
      try {
        yield 1;
        stop.abort(new Error("enough"));
        yield 2;
        yield 3;
      } finally {
        left = true;
      }
    },
  });
  const running = new AgenticToolsNode({ tools: { steps } }).invoke(calls(call("steps")), { signal: stop.signal });
  expect(await rejection(running)).toMatchObject({ message: "enough" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(left).toBe(true);
});

it.each([
  [{ type: "text", value: "seen" }, { result: "seen" }],
  [{ type: "json", value: { a: 1 } }, { result: '{"a":1}' }],
  [{ type: "error-text", value: "broken" }, { result: "broken" }],
  [{ type: "execution-denied", reason: "not now" }, { result: "not now" }],
] as const)("toModelOutput %o is what the model reads", async (shown, expected) => {
  const one = tool({ inputSchema: z.object({}), execute: () => 1, toModelOutput: () => shown });
  const [block] = blocksOf(await new AgenticToolsNode({ tools: { one } }).invoke(calls(call("one"))));
  expect(block).toMatchObject(expected);
});

it("toModelOutput gets output, input and call id, and may give files", async () => {
  let given: unknown;
  const picture = tool({
    inputSchema: z.object({ of: z.string() }),
    execute: () => "AAEC",
    toModelOutput: async (result) => {
      given = result;
      return {
        type: "content",
        value: [
          { type: "text", text: "here" },
          { type: "file-data", data: result.output, mediaType: "image/png", filename: "a.png" },
          { type: "image-url", url: "https://example.com/b" },
          { type: "file", data: { type: "data", data: new Uint8Array([0, 1, 2]) }, mediaType: "application/pdf" },
          { type: "file-id", fileId: "f-1" },
        ],
      };
    },
  });
  const node = new AgenticToolsNode({ tools: { picture } });
  const [block] = blocksOf(await node.invoke(calls(call("picture", { of: "x" }, "c-1"))));
  expect(given).toEqual({ output: "AAEC", input: { of: "x" }, toolCallId: "c-1" });
  expect(block?.content).toEqual([
    { type: "text", text: "here" },
    { type: "image", base64Data: "AAEC", mimeType: "image/png", name: "a.png" },
    { type: "image", url: "https://example.com/b" },
    { type: "file", base64Data: "AAEC", mimeType: "application/pdf" },
    { type: "text", text: '{"type":"file-id","fileId":"f-1"}' },
  ]);
});

it("a dynamicTool() works as it is", async () => {
  const any = dynamicTool({ description: "d", inputSchema: z.object({}).loose(), execute: async (input) => input });
  const node = new AgenticToolsNode({ tools: { any } });
  expect(textsOf(await node.invoke(calls(call("any", { a: 1 }))))).toEqual(['{"a":1}']);
});

it("its outputSchema is checked", async () => {
  const wrong = tool({ inputSchema: z.object({}), outputSchema: z.number(), execute: () => "one" as never });
  const error = await toolError(new AgenticToolsNode({ tools: { wrong } }).invoke(calls(call("wrong"))));
  expect(error.kind).toBe("output_validation");
});

it("a description that is a function is asked once", () => {
  const described = tool({ description: () => "made", inputSchema: z.object({}), execute: () => "" });
  expect(new AgenticToolsNode({ tools: { described } }).infos[0]?.description).toBe("made");
});

it("a tool that the provider executes is refused, with what to do", () => {
  const search = {
    type: "provider",
    id: "openai.web_search",
    args: {},
    isProviderExecuted: true,
    inputSchema: z.object({}),
  };
  expect(thrownBy(() => new AgenticToolsNode({ tools: { search } })).message).toContain("executed by the provider");
});

it("a tool that a provider knows, and that runs here, is told to models as the provider's", async () => {
  const bash = {
    type: "provider",
    id: "anthropic.bash_20250124",
    args: { size: 3 },
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }: { command: string }) => `ran ${command}`,
  };
  const node = new AgenticToolsNode({ tools: { bash } });
  expect(node.infos[0]?.provider).toEqual({ id: "anthropic.bash_20250124", args: { size: 3 } });
  expect(textsOf(await node.invoke(calls(call("bash", { command: "ls" }))))).toEqual(["ran ls"]);
});

describe("a tool with a contextSchema", () => {
  const greet = tool({
    inputSchema: z.object({}),
    contextSchema: z.object({
      user: z.string().transform((user) => user.toUpperCase()),
      locale: z.string().default("en"),
    }),
    execute: (_input, { context }) => context,
  });
  const node = new AgenticToolsNode({ tools: { greet } });

  it("gets what its schema makes of the values of the request", async () => {
    const requestContext = new RequestContext([["user", "ada"]]);
    const results = await node.invoke(calls(call("greet")), { requestContext });
    expect(textsOf(results)).toEqual(['{"user":"ADA","locale":"en"}']);
  });

  it("does not run when they do not fit, and the model reads why", async () => {
    const [block] = blocksOf(await node.invoke(calls(call("greet"))));
    expect(block).toMatchObject({ isError: true, errorKind: "validation" });
    expect(block?.result).toContain("user");
  });
});
