// The client of MCP servers under Mastra's names, against a server of kumiko over HTTP, and a program.

import { assistantMessage, functionToolCall } from "kumiko";
import { Agent, createTool, MCPClient, MCPServer } from "kumiko/mastra";
import { scriptedModel } from "kumiko/testing";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function clientOf(more: object = {}): Promise<MCPClient> {
  const add = createTool({
    id: "add",
    description: "Adds.",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => ({ sum: a + b }),
  });
  const resources = {
    listResources: async () => [{ uri: "note://1", name: "Note" }],
    getResourceContent: async () => ({ text: "Milk" }),
  };
  const server = new MCPServer({ name: "s", version: "1.0.0", tools: { add }, resources });
  const { url } = await server.listen({ port: 0 });
  open.push(() => server.close());
  const client = new MCPClient({ servers: { math: { url: new URL(url), ...more } }, timeout: 5_000 });
  open.push(() => client.disconnect());
  return client;
}

it("lists tools for agents, and toolsets by server", async () => {
  const client = await clientOf({ requestInit: { headers: { "x-team": "a" } } });
  expect(Object.keys(await client.listTools())).toEqual(["math_add"]);
  expect(Object.keys(await client.getTools())).toEqual(["math_add"]);
  expect(Object.keys((await client.listToolsets()).math ?? {})).toEqual(["add"]);
  expect(Object.keys(await client.getToolsets())).toEqual(["math"]);
  const call = () => assistantMessage(functionToolCall({ callId: "1", name: "math_add", arguments: '{"a":1,"b":2}' }));
  const agent = new Agent({ name: "a", model: scriptedModel(call, "Three."), tools: () => client.listTools() });
  expect((await agent.generate("1 + 2?")).toolResults[0]?.payload.result).toContain('"sum":3');
});

it("lists and reads resources and prompts, and connects again after it was disconnected", async () => {
  const client = await clientOf();
  expect((await client.resources.list()).math).toMatchObject([{ uri: "note://1" }]);
  expect((await client.resources.read("math", "note://1")).contents).toMatchObject([{ text: "Milk" }]);
  expect(Object.keys(await client.resources.templates())).toEqual(["math"]);
  expect(await client.prompts.list()).toEqual({ math: [] });
  await client.disconnect();
  await client.disconnect();
  expect(Object.keys(await client.listTools())).toEqual(["math_add"]);
});

it("tries again to connect, and refuses what has no effect", async () => {
  const client = new MCPClient({ servers: { gone: { command: "/no/such/program" } } });
  await expect(client.listTools()).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
  await expect(client.listTools()).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
  const make = (server: object) => () => new MCPClient({ servers: { s: server } });
  expect(make({ url: "http://localhost", requireToolApproval: true })).toThrow(/middleware approvals of the agent/);
  expect(make({ url: "http://localhost", requestInit: { method: "GET" } })).toThrow(/"method"/);
  expect(make({ comand: "x" })).toThrow(/"command"/);
  expect(() => new MCPClient({} as never)).toThrow(/servers/);
  for (const server of [{}, { command: "x", url: "http://localhost" }, { command: "" }, { url: "ftp://localhost" }])
    expect(make(server)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  expect(make({})).toThrow(/server "s" .* \(command\) or an address \(url\), and has neither/);
});
