import { AgenticToolsNode, mcpTools, RequestContext } from "kumiko";
import { connectMcp, type McpServerConfig } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { sdkServer, serveHttp } from "../mcp/fixtures/sdk-server.js";
import { call, calls } from "../tools/node/calls.js";
import { record } from "./recorded.js";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function toolsOf(settings: object = {}) {
  const served = await serveHttp(sdkServer());
  open.push(served.close);
  const connection = await connectMcp({ shop: { url: served.url, ...settings } as McpServerConfig });
  open.push(() => connection.close());
  return { tools: connection.tools(), port: Number(new URL(served.url).port) };
}

describe.each([
  ["newest revision", {}, "2026-07-28"],
  ["with a handshake", { revision: "legacy" }, "2025-11-25"],
])("a call of an MCP tool, %s", (_name, settings, revision) => {
  it("is one span with the attributes of the MCP conventions, and a duration of its own", async () => {
    const { tools, port } = await toolsOf(settings);
    const { handler, span, spans, metrics } = record();
    await new AgenticToolsNode(tools).invoke(calls(call("shop_echo", { text: "hi" })), { callbacks: [handler] });
    expect(spans()).toHaveLength(1);
    expect(span("execute_tool shop_echo").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "shop_echo",
      "gen_ai.tool.description": "Says it again.",
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": revision,
      "network.transport": "tcp",
      "server.address": "127.0.0.1",
      "server.port": port,
      "kumiko.mcp.server": "shop",
    });
    expect(span("execute_tool shop_echo").events).toEqual([]);
    const { "mcp.client.operation.duration": points } = await metrics();
    expect(points).toMatchObject([{ value: { count: 1 } }]);
    expect(points?.[0]?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": revision,
      "network.transport": "tcp",
      "server.address": "127.0.0.1",
      "server.port": port,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
    });
    expect(points?.[0]?.value.buckets.boundaries).toEqual([
      0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
    ]);
  });
});

it("says of requests how they failed: a result with isError, and an error of the protocol", async () => {
  const { tools } = await toolsOf();
  const { handler, metrics } = record();
  const node = new AgenticToolsNode({ tools, onToolError: "result" });
  await node.invoke(calls(call("shop_fail")), { callbacks: [handler] });
  const client = {
    listTools: async () => ({ tools: [{ name: "gone", inputSchema: { type: "object" } }] }),
    callTool: async () => Promise.reject(Object.assign(new Error("Unknown tool"), { code: -32602 })),
    transport: { sessionId: "session-1", protocolVersion: "2025-06-18" },
  };
  const other = record();
  const gone = new AgenticToolsNode({ tools: await mcpTools(client), onToolError: "result" });
  await gone.invoke(calls(call("gone")), { callbacks: [other.handler], requestContext: new RequestContext() });
  expect((await metrics())["mcp.client.operation.duration"]).toMatchObject([
    { attributes: { "error.type": "tool_error" } },
  ]);
  expect(other.span("execute_tool gone").attributes).toMatchObject({
    "mcp.session.id": "session-1",
    "mcp.protocol.version": "2025-06-18",
    "rpc.response.status_code": "-32602",
  });
  expect((await other.metrics())["mcp.client.operation.duration"]).toMatchObject([
    { attributes: { "error.type": "-32602", "gen_ai.tool.name": "gone" } },
  ]);
});

it("does not fail a call because its client cannot say which revision it speaks", async () => {
  const client = {
    listTools: async () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    callTool: async () => ({ content: [{ type: "text", text: "hi" }] }),
    getNegotiatedProtocolVersion: () => {
      throw new Error("not connected");
    },
  };
  const { handler, span } = record();
  await new AgenticToolsNode(await mcpTools(client)).invoke(calls(call("echo")), { callbacks: [handler] });
  expect(span("execute_tool echo").attributes).toMatchObject({ "mcp.method.name": "tools/call" });
});
