import { InMemoryTransport, Client as NewClient } from "@modelcontextprotocol/client";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "@modelcontextprotocol/server";
import {
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  assistantMessage,
  findCause,
  functionToolCall,
  type McpClient,
  mcpTools,
  ToolCallError,
  toolResultsOf,
} from "kumiko";
import type { McpResult } from "kumiko/components";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rejection } from "../node/calls.js";
import { connect, type ServedCall, tool } from "./servers.js";

const call = (name: string, args: object = {}) =>
  assistantMessage([functionToolCall({ callId: "1", name, arguments: JSON.stringify(args) })]);

/** What a tools node makes of one call of one tool that a real server answers. */
async function resultOf(
  answer: CallToolResult | ((call: ServedCall) => CallToolResult | Promise<CallToolResult>),
  fields: Parameters<typeof tool>[1] = {},
  config: Partial<AgenticToolsNodeConfig> = {},
) {
  const client = await connect([[tool("t", fields)]], typeof answer === "function" ? answer : () => answer);
  const node = new AgenticToolsNode({ ...config, tools: await mcpTools(client) });
  return (await node.invoke(call("t"))).flatMap(toolResultsOf)[0];
}

describe("what a server lists", () => {
  it("comes from all of its pages, in order", async () => {
    const client = await connect([[tool("a"), tool("b")], [tool("c")], [], [tool("d")]], () => ({ content: [] }));
    expect((await mcpTools(client)).map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("keeps its names, schemas, annotations and _meta as they are", async () => {
    const definition = tool("weather", {
      title: "Weather",
      description: "Current weather.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      outputSchema: { type: "object", properties: { celsius: { type: "number" } } },
      annotations: {
        title: "The weather",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      _meta: { version: "2.1", category: ["a"] },
    });
    const [weather] = await mcpTools(await connect([[definition]], () => ({ content: [] })));
    const { inputSchema, outputSchema, annotations, _meta } = definition;
    expect(weather).toMatchObject({ id: "weather", description: "Current weather.", metadata: { title: "Weather" } });
    expect(weather?.inputSchema).toEqual(inputSchema);
    expect(weather?.info.toJsonSchema()).toEqual(inputSchema);
    expect(weather?.outputSchema).toEqual(outputSchema);
    expect(weather?.mcp).toEqual({ annotations, _meta });
  });

  it("gets no annotations that the server did not give", async () => {
    const client = await connect([[tool("a"), tool("b", { annotations: {} })]], () => ({ content: [] }));
    expect((await mcpTools(client)).map(({ mcp }) => mcp)).toEqual([undefined, { annotations: {} }]);
  });

  it.each<[string, unknown, RegExp]>([
    ["no name", { inputSchema: {} }, /it has no name/],
    ["a schema that is not an object", { name: "odd", inputSchema: "text" }, /"odd".*inputSchema is not an object/],
    ["nothing at all", null, /it has no name/],
    ["a description that is no text", { name: "odd", inputSchema: {}, description: 5 }, /"odd"/],
  ])("leaves out a tool with %s, with a warning", async (_what, odd, expected) => {
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (message: string) => void warnings.push(message);
    try {
      const tools = [tool("good"), odd as ReturnType<typeof tool>];
      const listed = await mcpTools({ listTools: async () => ({ tools }), callTool: async () => ({}) });
      expect(listed.map(({ id }) => id)).toEqual(["good"]);
      expect(warnings).toEqual([expect.stringMatching(expected)]);
    } finally {
      console.warn = warn;
    }
  });

  it("is refused when it would never end, or is no list", async () => {
    const page = { tools: [], nextCursor: "again" };
    const endless = { listTools: async () => page, callTool: async () => ({}) };
    expect(await rejection(mcpTools(endless))).toMatchObject({ code: "INVALID_TOOL" });
    const odd = { listTools: async () => ({}) as typeof page, callTool: async () => ({}) };
    expect(await rejection(mcpTools(odd))).toMatchObject({ code: "INVALID_TOOL" });
    expect(await rejection(mcpTools({} as McpClient))).toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("a call", () => {
  it("sends the arguments under the server's own name for the tool", async () => {
    const calls: object[] = [];
    const client = await connect([[tool("search")]], ({ name, arguments: args }) => {
      calls.push({ name, args });
      return { content: [] };
    });
    const [search] = await mcpTools(client);
    if (search === undefined) throw new Error("no tool");
    await new AgenticToolsNode({ tools: { find: search } }).invoke(call("find", { query: "x" }));
    expect(calls).toEqual([{ name: "search", args: { query: "x" } }]);
  });

  it("does not reach the server with arguments that do not fit", async () => {
    const inputSchema = { type: "object" as const, properties: { a: { type: "number" } }, required: ["a"] };
    const answer = () => {
      throw new Error("called");
    };
    const result = await resultOf(answer, { inputSchema }, { onToolError: "result" });
    expect(result).toMatchObject({ isError: true, errorKind: "validation" });
  });

  it("stops on the server when its run is stopped, and rejects with the reason", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    let told: (() => void) | undefined;
    const heard = new Promise<void>((resolve) => {
      told = resolve;
    });
    const client = await connect([[tool("t")]], async ({ signal }) => {
      signal.addEventListener("abort", () => told?.());
      controller.abort(reason);
      await heard;
      return { content: [] };
    });
    const node = new AgenticToolsNode(await mcpTools(client));
    expect(await rejection(node.invoke(call("t"), { signal: controller.signal }))).toBe(reason);
    await heard;
  });

  it("passes the server's progress on to handlers", async () => {
    const client = await connect([[tool("t")]], async ({ tell }) => {
      await tell(1, "half");
      await tell(2, "done");
      return { content: [] };
    });
    const events: unknown[] = [];
    const node = new AgenticToolsNode(await mcpTools(client));
    await node.invoke(call("t"), { callbacks: [{ onEvent: (_info, event) => events.push(event) }] });
    expect(events).toEqual([
      { kind: "progress", event: { progress: 1, message: "half" } },
      { kind: "progress", event: { progress: 2, message: "done" } },
    ]);
  });

  it("ends at timeoutMs, and tells the server", async () => {
    let signal: AbortSignal | undefined;
    const client = await connect([[tool("t")]], (served) => {
      signal = served.signal;
      return new Promise((resolve) => served.signal.addEventListener("abort", () => resolve({ content: [] })));
    });
    const node = new AgenticToolsNode(await mcpTools(client, { timeoutMs: 20 }));
    expect(await rejection(node.invoke(call("t")))).toMatchObject({ kind: "timeout" });
    await new Promise((resolve) => signal?.addEventListener("abort", resolve) ?? resolve(0));
    expect(signal?.aborted).toBe(true);
  });
});

describe("a result", () => {
  it("is its text when it is one text, and empty when there is nothing", async () => {
    expect(await resultOf({ content: [{ type: "text", text: '{"a":1}' }] })).toEqual({
      type: "function_tool_result",
      callId: "1",
      name: "t",
      result: '{"a":1}',
    });
    expect(await resultOf({ content: [] })).toMatchObject({ result: "" });
  });

  it("is a list of parts otherwise: texts, media and resources, and links as JSON", async () => {
    const result = await resultOf({
      content: [
        { type: "text", text: "one" },
        { type: "image", data: "aW1n", mimeType: "image/png" },
        { type: "audio", data: "YXVk", mimeType: "audio/wav" },
        { type: "resource_link", uri: "note://7", name: "seven", description: "the seventh day" },
        { type: "resource", resource: { uri: "file:///b.txt", text: "two" } },
        { type: "resource", resource: { uri: "file:///c.mp4", blob: "dmlk", mimeType: "video/mp4" } },
        { type: "resource", resource: { uri: "file:///d", blob: "ZA==" } },
      ],
    });
    expect(result?.content).toEqual([
      { type: "text", text: "one" },
      { type: "image", base64Data: "aW1n", mimeType: "image/png" },
      { type: "audio", base64Data: "YXVk", mimeType: "audio/wav" },
      { type: "text", text: expect.stringMatching(/^\{.*"note:\/\/7".*"the seventh day"/) },
      { type: "text", text: "two" },
      { type: "video", base64Data: "dmlk", mimeType: "video/mp4", name: "file:///c.mp4" },
      { type: "file", base64Data: "ZA==", name: "file:///d" },
    ]);
  });

  it("shows a kind of content that this package does not know as JSON", async () => {
    const client = {
      listTools: async () => ({ tools: [{ name: "t", inputSchema: {} }] }),
      callTool: async () => ({ content: [{ type: "hologram", data: 1 }] }),
    };
    const [hologram] = await mcpTools(client);
    expect(await hologram?.invoke("{}", toolContext())).toBe('{"type":"hologram","data":1}');
  });

  const outputSchema = { type: "object" as const, properties: { celsius: { type: "number" } }, required: ["celsius"] };
  const structured = { content: [{ type: "text" as const, text: "21 °C" }], structuredContent: { celsius: 21 } };

  it("is read as the server worded it when it is structured too", async () => {
    expect(await resultOf(structured, { outputSchema })).toMatchObject({ result: "21 °C" });
    expect(await resultOf(structured, { outputSchema }, { outputValidation: "error" })).toMatchObject({
      result: "21 °C",
    });
  });

  it("is JSON when it is structured only", async () => {
    const answer = { content: [], structuredContent: { celsius: 21 } };
    expect(await resultOf(answer, { outputSchema })).toMatchObject({ result: '{"celsius":21}', resultType: "json" });
  });

  it("is checked against outputSchema where the node says so", async () => {
    const client = {
      listTools: async () => ({ tools: [{ name: "t", inputSchema: {}, outputSchema }] }),
      callTool: async () => ({ content: [{ type: "text", text: "cold" }], structuredContent: { celsius: "cold" } }),
    };
    const tools = await mcpTools(client);
    expect(await new AgenticToolsNode(tools).invoke(call("t"))).toMatchObject([
      { contentBlocks: [{ result: "cold" }] },
    ]);
    const node = new AgenticToolsNode({ tools, outputValidation: "error" });
    expect(await rejection(node.invoke(call("t")))).toMatchObject({
      kind: "output_validation",
      output: { celsius: "cold" },
    });
  });

  it.each([[5], ["warm"], [null], [[1, 2]]])("is checked as it is where it is no object: %j", async (value) => {
    const content = [{ type: "text" as const, text: JSON.stringify(value) }];
    const tools = await mcpTools({
      listTools: async () => ({ tools: [{ name: "t", inputSchema: {}, outputSchema: { enum: [value] } }] }),
      callTool: async () => ({ content, structuredContent: value }),
    });
    const node = new AgenticToolsNode({ tools, outputValidation: "error" });
    const result = typeof value === "string" ? value : JSON.stringify(value);
    expect(await node.invoke(call("t"))).toMatchObject([{ contentBlocks: [{ result }] }]);
  });

  it("with isError is an execution error, and its output is not validated", async () => {
    const answer = { isError: true, content: [{ type: "text" as const, text: "no such city" }] };
    expect(
      await resultOf(answer, { outputSchema }, { outputValidation: "error", onToolError: "result" }),
    ).toMatchObject({ isError: true, errorKind: "execution", result: expect.stringContaining("no such city") });
    const error = await rejection(resultOf(answer, { outputSchema }, { outputValidation: "error" }));
    expect(error).toMatchObject({ kind: "execution", toolName: "t" });
    expect(findCause(error, ToolCallError)?.details).toEqual(answer);
    expect(ToolCallError.is(findCause(error, ToolCallError))).toBe(true);
  });

  it("names parts of an error that are no text", async () => {
    const answer = { isError: true, content: [{ type: "image" as const, data: "", mimeType: "image/png" }] };
    expect(await rejection(resultOf(answer))).toMatchObject({ message: expect.stringContaining("[image]") });
  });

  it("that is none is an execution error", async () => {
    const answers = [undefined, "text", [], { content: "text" }];
    for (const answer of answers) {
      const client = {
        listTools: async () => ({ tools: [{ name: "t", inputSchema: {} }] }),
        callTool: async () => answer as McpResult,
      };
      const node = new AgenticToolsNode(await mcpTools(client));
      expect(await rejection(node.invoke(call("t")))).toMatchObject({ kind: "execution" });
    }
  });

  it("of a server that fails is an execution error", async () => {
    const answer = () => {
      throw new Error("out of order");
    };
    expect(await rejection(resultOf(answer))).toMatchObject({
      kind: "execution",
      message: expect.stringContaining("out of order"),
    });
  });
});

describe("the client of the second version of the SDK", () => {
  it("works the same, with signal and progress", async () => {
    const server = new McpServer({ name: "served", version: "1.0.0" });
    server.registerTool(
      "add",
      {
        description: "Adds.",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
        annotations: { readOnlyHint: true },
      },
      async ({ a, b }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken === undefined) throw new Error("nobody asked for progress");
        await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1 } });
        return { content: [{ type: "text", text: `${a + b}` }], structuredContent: { sum: a + b } };
      },
    );
    const client = new NewClient({ name: "tested", version: "1.0.0" });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    const tools = await mcpTools(client);
    expect(tools).toMatchObject([{ id: "add", description: "Adds.", mcp: { annotations: { readOnlyHint: true } } }]);
    const events: unknown[] = [];
    const [message] = await new AgenticToolsNode(tools).invoke(call("add", { a: 1, b: 2 }), {
      callbacks: [{ onEvent: (_info, event) => events.push(event) }],
    });
    expect(message && toolResultsOf(message)).toMatchObject([{ result: "3" }]);
    expect(events).toMatchObject([{ kind: "progress", event: { progress: 1 } }]);
    const aborted = AbortSignal.abort(new Error("enough"));
    const [add] = tools;
    if (add === undefined) throw new Error("no tool");
    expect(await rejection(add.invoke('{"a":1,"b":2}', toolContext({ signal: aborted })))).toMatchObject({
      message: expect.stringContaining("enough"),
    });
  });
});
