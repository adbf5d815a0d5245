import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type McpFetch, weather } from "../contender.js";

export const weatherOutput = z.object({ celsius: z.number() });

/** The official SDK, with nothing around it. */
export function mcpCall(): () => Promise<unknown> {
  const { name, description, schema: inputSchema, execute } = weather;
  const { fetch } = createMcpHandler(() => {
    const server = new McpServer({ name: "weather", version: "1.0.0" });
    server.registerTool(name, { description, inputSchema, outputSchema: weatherOutput }, async (input) => {
      const structuredContent = await execute(input);
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    });
    return server;
  });
  return callOf(fetch);
}

/** A client of the SDK calls the tool of a server, whose answers come from a function: no network is between them. */
export function callOf(fetch: McpFetch): () => Promise<unknown> {
  const connected = connect(fetch);
  return async () => {
    const client = await connected;
    const { structuredContent } = await client.callTool({ name: weather.name, arguments: { city: "Helsinki" } });
    return structuredContent;
  };
}

async function connect(fetch: McpFetch): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const answer = (url: string | URL, init?: RequestInit) => fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: answer }));
  await client.listTools();
  return client;
}

export function mcpConnect(url: string): () => Promise<number> {
  return async () => {
    const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools } = await client.listTools();
    await client.close();
    return tools.length;
  };
}

const addresses = new Map<number, Promise<string>>();

/**
 * The address of a server of the SDK with so many tools, for every revision. Its list is made once, so that clients are
 * measured, and it does not keep the process.
 */
export function serverWithTools(count: number): Promise<string> {
  const known = addresses.get(count) ?? listen(count);
  addresses.set(count, known);
  return known;
}

async function listen(count: number): Promise<string> {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(weather.schema);
  const tools = Array.from({ length: count }, (_, n) => ({
    name: `${weather.name}_${n}`,
    description: weather.description,
    inputSchema: { ...inputSchema, type: "object" as const },
  }));
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "many", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools }) as never);
    return server;
  });
  const answer = toNodeHandler(handler);
  const http = createServer((request, response) => void answer(request as never, response as never));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  http.unref();
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}
