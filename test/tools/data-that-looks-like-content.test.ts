import { tool as aiTool } from "ai";
import { AgenticToolsNode, createTool, mcpTools } from "kumiko";
import { openApiTools } from "kumiko/openapi";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connect, tool as servedTool } from "./mcp/servers.js";
import { blocksOf, call, calls, tool } from "./node/calls.js";

const listing = [
  { type: "file", url: "https://example.com/a.txt", size: 3 },
  { type: "file", url: "https://example.com/b.txt", size: 5 },
];
const parts = [
  { type: "text", text: "See" },
  { type: "image", url: "https://example.com/cat.png", mimeType: "image/png" },
] as const;
const asData = (data: unknown) => ({ result: JSON.stringify(data), resultType: "json" });

const modes = ["invoke", "stream"] as const;

async function blockOf(node: AgenticToolsNode, mode: (typeof modes)[number], name: string) {
  const message = calls(call(name));
  const results = mode === "invoke" ? await node.invoke(message) : await node.stream(message).concat();
  const [block] = blocksOf(results);
  if (block === undefined) throw new Error("there is no result");
  return block;
}

describe.each(modes)("a list of data (%s)", (mode) => {
  it.each([
    ["with a field that content has not", listing],
    ["with a part of no content", [{ type: "image" }]],
    ["with an item that is no content", [...parts, { type: "row", text: "x" }]],
    ["with a text that says more", [{ type: "text", text: "a", lang: "en" }]],
    ["with a field of another type", [{ type: "file", url: "https://example.com", name: 5 }]],
    ["of class instances", [Object.assign(new (class Row {})(), { type: "text", text: "a" })]],
    ["that is empty", []],
    ["with a hole", Object.assign(new Array(2), { 1: parts[0] })],
  ])("is read as JSON: one %s", async (_name, data) => {
    const block = await blockOf(new AgenticToolsNode([tool("list", () => data)]), mode, "list");
    expect(block).toMatchObject(asData(data));
    expect(block.content).toBeUndefined();
  });

  it("is read as JSON when a generator yields it", async () => {
    const yields = tool("list", async function* () {
      yield listing;
    });
    expect(await blockOf(new AgenticToolsNode([yields]), mode, "list")).toMatchObject(asData(listing));
  });

  it("is read as JSON when the tool has an outputSchema, however it looks", async () => {
    const outputSchema = z.array(z.looseObject({ type: z.string() }));
    const list = createTool({ id: "list", description: "", outputSchema, execute: () => [...parts] });
    expect(await blockOf(new AgenticToolsNode([list]), mode, "list")).toMatchObject(asData(parts));
    const yields = createTool({
      id: "list",
      description: "",
      outputSchema,
      execute: async function* () {
        yield [...parts];
      },
    });
    expect(await blockOf(new AgenticToolsNode([yields]), mode, "list")).toMatchObject(asData(parts));
    const plain = { inputSchema: { type: "object" }, outputSchema: { type: "array" }, execute: () => [...parts] };
    expect(await blockOf(new AgenticToolsNode({ tools: { list: plain } }), mode, "list")).toMatchObject(asData(parts));
  });

  it("is read as content when toModelOutput says so, also with an outputSchema", async () => {
    const outputSchema = z.object({ cat: z.string() });
    const list = createTool({
      id: "list",
      description: "",
      outputSchema,
      execute: () => ({ cat: "Tom" }),
      toModelOutput: () => parts,
    });
    expect(await blockOf(new AgenticToolsNode([list]), mode, "list")).toMatchObject({ result: "See", content: parts });
  });

  it("is read as JSON when an AI SDK tool says that it is JSON", async () => {
    const list = aiTool({
      inputSchema: z.object({}),
      execute: async () => "",
      toModelOutput: () => ({ type: "json", value: parts.map((part) => ({ ...part })) }),
    });
    expect(await blockOf(new AgenticToolsNode({ tools: { list } }), mode, "list")).toMatchObject(asData(parts));
  });

  it("is read as JSON when it is the answer of an HTTP service", async () => {
    const document = {
      openapi: "3.1.0",
      servers: [{ url: "http://127.0.0.1:1" }],
      paths: { "/list": { get: { operationId: "list" } } },
    };
    const tools = await openApiTools(document, { fetch: async () => Response.json(parts) });
    expect(await blockOf(new AgenticToolsNode(tools), mode, "list")).toMatchObject(asData(parts));
  });

  it("is read as JSON when it is the structured content of an MCP server", async () => {
    const client = {
      listTools: async () => ({ tools: [{ name: "list", inputSchema: { type: "object" } }] }),
      callTool: async () => ({ structuredContent: parts }),
    };
    const tools = await mcpTools(client);
    expect(await blockOf(new AgenticToolsNode(tools), mode, "list")).toMatchObject(asData(parts));
    expect(await tools[0]?.execute({}, {} as never)).toBe(parts);
  });
});

it("an MCP server whose structured content holds a list of data is read as it says", async () => {
  const outputSchema = { type: "object", properties: { files: { type: "array" } } } as const;
  const client = await connect([[servedTool("list", { outputSchema })]], () => ({
    content: [{ type: "text", text: JSON.stringify({ files: listing }) }],
    structuredContent: { files: listing },
  }));
  const tools = await mcpTools(client);
  expect(await blockOf(new AgenticToolsNode(tools), "invoke", "list")).toMatchObject({
    result: JSON.stringify({ files: listing }),
  });
});
