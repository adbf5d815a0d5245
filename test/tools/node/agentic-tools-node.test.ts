import { type } from "arktype";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  type Tool,
  userMessage,
} from "kumiko";
import { toolInfo } from "kumiko/components";
import { assistantGenText } from "kumiko/schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, deferred, rejection, settled, textsOf, tool, toolError } from "./calls.js";

const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string(), unit: z.enum(["c", "f"]).default("c") }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: async ({ city, unit }) => ({ celsius: city.length + (unit === "c" ? 0 : 100) }),
});
const shout = tool("shout", ({ text }) => String(text).toUpperCase());

describe("results", () => {
  it("gives one user message per call, in call order, each with one result block", async () => {
    const slow = deferred<string>();
    const node = new AgenticToolsNode([shout, tool("slow", () => slow.promise)]);
    const running = node.invoke(calls(call("slow"), call("shout", { text: "hi" })));
    await settled();
    slow.resolve("late");
    expect(await running).toEqual([
      { role: "user", contentBlocks: [{ type: "function_tool_result", callId: "slow", name: "slow", result: "late" }] },
      { role: "user", contentBlocks: [{ type: "function_tool_result", callId: "shout", name: "shout", result: "HI" }] },
    ]);
  });

  it("ignores every other block of the message", async () => {
    const node = new AgenticToolsNode([shout]);
    const message = assistantMessage([assistantGenText("Let me see."), call("shout", { text: "a" })]);
    expect(textsOf(await node.invoke(message))).toEqual(["A"]);
  });

  it("marks what was made from a value that is no text", async () => {
    const node = new AgenticToolsNode([getWeather, shout]);
    const results = await node.invoke(calls(call("get_weather", { city: "深圳" }), call("shout", { text: '{"a":1}' })));
    expect(blocksOf(results)).toEqual([
      {
        type: "function_tool_result",
        callId: "get_weather",
        name: "get_weather",
        result: '{"celsius":2}',
        resultType: "json",
      },
      { type: "function_tool_result", callId: "shout", name: "shout", result: '{"A":1}' },
    ]);
  });

  it.each([undefined, () => 1, Symbol("s")])(
    "has no text, and marks none as JSON, for what JSON does not have",
    async (value) => {
      const node = new AgenticToolsNode([tool("quiet", () => value)]);
      expect(blocksOf(await node.invoke(calls(call("quiet"))))).toEqual([
        { type: "function_tool_result", callId: "quiet", name: "quiet", result: "" },
      ]);
    },
  );

  it("gives lists of content parts to the model as parts, with their text beside them", async () => {
    const image = { type: "image", url: "https://example.com/a.png" } as const;
    const node = new AgenticToolsNode([tool("draw", () => [{ type: "text", text: "Here: " }, image])]);
    expect(blocksOf(await node.invoke(calls(call("draw"))))).toEqual([
      {
        type: "function_tool_result",
        callId: "draw",
        name: "draw",
        result: "Here: ",
        content: [{ type: "text", text: "Here: " }, image],
      },
    ]);
  });

  it("takes data that only looks like content parts as data", async () => {
    const node = new AgenticToolsNode([tool("list", () => [{ type: "file", path: "/a" }]), tool("none", () => [])]);
    expect(textsOf(await node.invoke(calls(call("list"), call("none"))))).toEqual([
      '[{"type":"file","path":"/a"}]',
      "[]",
    ]);
  });
});

describe("arguments", () => {
  it("gives execute what the schema gives back, defaults and transforms applied", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode([
      createTool({
        id: "zod",
        description: "",
        inputSchema: z.object({ n: z.string().transform(Number), unit: z.string().default("c") }),
        execute: (input) => seen.push(input),
      }),
      createTool({
        id: "ark",
        description: "",
        inputSchema: type({ n: "string.numeric.parse" }),
        execute: (input) => seen.push(input),
      }),
      createTool({
        id: "valibot",
        description: "",
        inputSchema: v.object({ n: v.optional(v.number(), 7) }),
        execute: (input) => seen.push(input),
      }),
    ]);
    await node.invoke(calls(call("zod", { n: "5" }), call("ark", { n: "6" }), call("valibot")));
    expect(seen).toEqual([{ n: 5, unit: "c" }, { n: 6 }, { n: 7 }]);
  });

  it("awaits schemas that answer later", async () => {
    const inputSchema = z.object({ n: z.number().refine(async (n) => n > 1, "too small") });
    const node = new AgenticToolsNode([createTool({ id: "a", description: "", inputSchema, execute: ({ n }) => n })]);
    expect(textsOf(await node.invoke(calls(call("a", { n: 2 }))))).toEqual(["2"]);
    expect((await toolError(node.invoke(calls(call("a", { n: 1 }))))).message).toContain("n: too small (got 1)");
  });

  it("checks plain JSON Schemas of both drafts, formats included", async () => {
    const execute = (input: object) => input;
    const node = new AgenticToolsNode([
      createTool({
        id: "new",
        description: "",
        inputSchema: { type: "object", properties: { mail: { type: "string", format: "email" } }, required: ["mail"] },
        execute,
      }),
      createTool({
        id: "old",
        description: "",
        inputSchema: {
          $schema: "http://json-schema.org/draft-07/schema#",
          type: "object",
          properties: {
            pair: { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false },
          },
        },
        execute,
      }),
    ]);
    const fitting = await node.invoke(calls(call("new", { mail: "a@b.cd" }), call("old", { pair: [1, "a"] })));
    expect(textsOf(fitting)).toEqual(['{"mail":"a@b.cd"}', '{"pair":[1,"a"]}']);
    const first = await toolError(node.invoke(calls(call("new", { mail: "nobody" }))));
    expect(first.message).toContain('mail: must match format "email" (got "nobody")');
    expect((await toolError(node.invoke(calls(call("old", { pair: [1, 2] }))))).message).toContain("pair[1]");
  });

  it("checks a map of parameters as the schema that it stands for", async () => {
    const inputSchema = { city: { type: "string", required: true } } as const;
    const node = new AgenticToolsNode([
      createTool({ id: "a", description: "", inputSchema, execute: ({ city }) => city }),
    ]);
    expect(textsOf(await node.invoke(calls(call("a", { city: "x" }))))).toEqual(["x"]);
    expect((await toolError(node.invoke(calls(call("a", {}))))).kind).toBe("validation");
  });

  it("takes empty and blank text as no arguments", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode([tool("a", (input) => seen.push(input))]);
    await node.invoke(calls(call("a", "", "1"), call("a", " \n", "2")));
    expect(seen).toEqual([{}, {}]);
  });

  it("says where text stops being JSON, and quotes it", async () => {
    const error = await toolError(new AgenticToolsNode([shout]).invoke(calls(call("shout", '{"text": tru}', "c1"))));
    expect(error).toMatchObject({ kind: "parse", toolName: "shout", callId: "c1", code: "TOOL_FAILED" });
    expect(error.message).toContain('tool "shout" (call "c1")');
    expect(error.message).toContain("position 12");
    expect(error.message).toContain('{"text": tru}');
  });

  it("quotes no more than a part of long text", async () => {
    const text = `{"a":"${"x".repeat(5_000)}",}`;
    const { message } = await toolError(new AgenticToolsNode([shout]).invoke(calls(call("shout", text))));
    expect(message.length).toBeLessThan(1_400);
    expect(message).toContain("(5009 characters)");
  });

  it.each(["[1]", "1", '"a"', "null", "true"])("refuses %s, which is JSON and no object", async (text) => {
    const error = await toolError(new AgenticToolsNode([shout]).invoke(calls(call("shout", text))));
    expect(error.kind).toBe("validation");
    expect(error.message).toContain("must be a JSON object");
  });

  it("quotes tool, path and value of what does not fit", async () => {
    const inputSchema = z.object({ days: z.array(z.object({ n: z.number() })) });
    const node = new AgenticToolsNode([createTool({ id: "plan", description: "", inputSchema, execute: () => "" })]);
    const error = await toolError(node.invoke(calls(call("plan", { days: [{ n: 1 }, { n: "two" }] }))));
    expect(error.kind).toBe("validation");
    expect(error.message).toContain('tool "plan"');
    expect(error.message).toContain('days[1].n: Invalid input: expected number, received string (got "two")');
    expect(error.issues).toHaveLength(1);
  });

  it("keeps argument names of JavaScript as they are", async () => {
    const node = new AgenticToolsNode([tool("a", (input) => Object.keys(input))]);
    expect(textsOf(await node.invoke(calls(call("a", '{"constructor":1,"__proto__":2}'))))).toEqual([
      '["constructor","__proto__"]',
    ]);
  });

  it("reports a schema that throws as arguments that could not be checked", async () => {
    const inputSchema = z.object({
      n: z.number().refine(() => {
        throw new Error("no database");
      }),
    });
    const node = new AgenticToolsNode([createTool({ id: "a", description: "", inputSchema, execute: () => "" })]);
    const error = await toolError(node.invoke(calls(call("a", { n: 1 }))));
    expect(error.kind).toBe("validation");
    expect(error.message).toContain("no database");
  });

  it("gives execute the text with rawArguments, and ctx.rawArguments always", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode([
      createTool({ id: "raw", description: "", rawArguments: true, execute: (text) => seen.push(text) }),
      createTool({ id: "a", description: "", execute: (_input, ctx) => seen.push(ctx.rawArguments) }),
    ]);
    await node.invoke(calls(call("raw", "not json"), call("a", '{ "x":1}')));
    expect(seen).toEqual(["not json", '{ "x":1}']);
  });
});

describe("before any tool runs", () => {
  it("stops all calls when one of them is wrong", async () => {
    const ran: string[] = [];
    const node = new AgenticToolsNode([tool("a", () => ran.push("a")), getWeather]);
    const error = await toolError(node.invoke(calls(call("a"), call("get_weather", { city: 1 }), call("nope"))));
    expect(ran).toEqual([]);
    expect(error).toMatchObject({ kind: "validation", toolName: "get_weather" });
    expect(blocksOf(error.results).map(({ callId, errorKind, isError }) => [callId, errorKind, isError])).toEqual([
      ["a", "not_executed", true],
      ["get_weather", "validation", true],
      ["nope", "unknown_tool", true],
    ]);
  });

  it("awaits every check before the first tool runs", async () => {
    const ran: string[] = [];
    const inputSchema = z.object({}).refine(async () => false, "never");
    const late = createTool({ id: "late", description: "", inputSchema, execute: () => ran.push("late") });
    const node = new AgenticToolsNode([tool("a", () => ran.push("a")), late]);
    await toolError(node.invoke(calls(call("a"), call("late"))));
    expect(ran).toEqual([]);
  });

  it("refuses messages that are not of the assistant, and such without a call", async () => {
    const node = new AgenticToolsNode([shout]);
    expect(await rejection(node.invoke(userMessage("hi")))).toMatchObject({
      code: "INVALID_MESSAGE",
      message: expect.stringContaining("expected message role is Assistant"),
      results: [],
    });
    expect(await rejection(node.invoke(assistantMessage("hi")))).toMatchObject({
      code: "NO_TOOL_CALL",
      message: expect.stringContaining("no tool call found in input message"),
      results: [],
    });
    await expect(node.invoke(undefined as never)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
    const foreign = { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function" }] } as never;
    await expect(node.invoke(foreign)).rejects.toThrow(
      /but this is in the format of another library, with "content", "tool_calls" and without a list of contentBlocks/,
    );
    await expect(node.invoke([calls(call("shout"))] as never)).rejects.toThrow("Pass one message of it");
    const odd = { type: "function_tool_call", callId: "1", name: "shout", arguments: { text: "a" } };
    await expect(node.invoke({ role: "assistant", contentBlocks: [odd] } as never)).rejects.toThrow(
      "arguments is not a string",
    );
  });
});

describe("kinds of tools", () => {
  it("runs a tool written by hand on the raw text, in the half that fits the mode", async () => {
    const both: Tool = {
      component: "tool",
      info: toolInfo({ name: "both" }),
      invoke: async (args) => `whole ${args}`,
      async *stream(args) {
        yield "piece ";
        yield args;
      },
    };
    const node = new AgenticToolsNode([both]);
    expect(textsOf(await node.invoke(calls(call("both", "x"))))).toEqual(["whole x"]);
    expect(textsOf(await node.stream(calls(call("both", "x"))).concat())).toEqual(["piece x"]);
  });

  it("derives the half that is missing", async () => {
    const streams: Tool = {
      component: "tool",
      info: toolInfo({ name: "streams" }),
      async *stream() {
        yield "a";
        yield "b";
      },
    };
    const invokes: Tool = { component: "tool", info: toolInfo({ name: "invokes" }), invoke: async () => "whole" };
    const node = new AgenticToolsNode([streams, invokes]);
    const message = calls(call("streams"), call("invokes"));
    expect(textsOf(await node.invoke(message))).toEqual(["ab", "whole"]);
    expect(textsOf(await node.stream(message).concat())).toEqual(["ab", "whole"]);
  });
});

describe("as a part of a composition", () => {
  const message = calls(call("get_weather", { city: "深圳" }));

  it("is a step of a chain", async () => {
    const chain = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([getWeather])).compile();
    expect(textsOf(await chain.invoke(message))).toEqual(['{"celsius":2}']);
    expect(textsOf(await chain.stream(message).concat())).toEqual(['{"celsius":2}']);
  });

  it("is a node of a graph, whose errors name it", async () => {
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", new AgenticToolsNode([getWeather]))
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    expect(textsOf(await graph.invoke(message))).toEqual(['{"celsius":2}']);
    const error = await toolError(graph.invoke(calls(call("nope"))));
    expect(error.nodePath).toEqual(["tools"]);
    expect(error.results).toHaveLength(1);
  });

  it("has the four modes of a Runnable", async () => {
    const node = new AgenticToolsNode([getWeather]);
    const whole = await node.invoke(message);
    const pieces = async function* () {
      yield assistantMessage([
        functionToolCall({
          callId: "get_weather",
          name: "get_weather",
          arguments: '{"ci',
          streamingMeta: { index: 0 },
        }),
      ]);
      yield assistantMessage([
        functionToolCall({ callId: "", name: "", arguments: 'ty":"深圳"}', streamingMeta: { index: 0 } }),
      ]);
    };
    expect(await node.collect(pieces())).toEqual(whole);
    expect(await node.transform(pieces()).concat()).toEqual(whole);
  });
});

describe("options of the node", () => {
  it.each([
    [
      { tools: [], executeSequential: true },
      'Unknown option "executeSequential" of AgenticToolsNode. Did you mean "executeSequentially"?',
    ],
    [{ tools: "a" }, "tools must be an array or a record"],
    [{ tools: [], maxConcurrency: 0 }, "maxConcurrency must be a whole number of at least 1"],
    [{ tools: [], maxResultLength: 1.5 }, "maxResultLength must be a whole number"],
    [{ tools: [], timeoutMs: -1 }, "timeoutMs of AgenticToolsNode must be a number of milliseconds above 0"],
    [{ tools: [], onToolError: "ignore" }, 'onToolError must be "throw", "result" or a function'],
    [{ tools: [], outputValidation: "strict" }, 'outputValidation of AgenticToolsNode must be "error"'],
    [{ tools: [], toolCallMiddlewares: [{ invocable: () => {} }] }, "toolCallMiddlewares must be an array"],
    [{ tools: [], executeSequentially: "yes" }, "executeSequentially must be true or false"],
    [{ tools: [], formatError: "text" }, "formatError must be a function"],
  ])("refuses %o", (config, message) => {
    expect(() => new AgenticToolsNode(config as never)).toThrow(message);
  });
});
