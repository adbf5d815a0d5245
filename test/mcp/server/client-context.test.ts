import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTool } from "kumiko";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(tools: MCPServerOptions["tools"], options: Partial<MCPServerOptions> = {}): Promise<URL> {
  const server = new MCPServer({ name: "test", version: "1.0.0", tools, ...options });
  open.push(() => server.close());
  return new URL((await server.listen({ port: 0 })).url);
}

async function connect(transport: SSEClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: "tester", version: "1.0.0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  open.push(() => client.close());
  return client;
}

describe("ctx.mcp.log", () => {
  it("fails no call when the client has gone", async () => {
    const events: string[] = [];
    const work = createTool({
      id: "work",
      description: "Works on.",
      execute: async (_input, { mcp, signal }) => {
        events.push("begun");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await mcp?.log("info", "late").then(
          () => events.push("went on"),
          (error: unknown) => events.push(String(error)),
        );
      },
    });
    const url = new URL("/sse", await serve([work]));
    const client = await connect(new SSEClientTransport(url));
    client.callTool({ name: "work", arguments: {} }).catch(() => undefined);
    await expect.poll(() => events).toEqual(["begun"]);
    await client.close();
    await expect.poll(() => events).toEqual(["begun", "went on"]);
  });

  it("fails no call when its data cannot be sent", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const tell = createTool({
      id: "tell",
      description: "Tells.",
      execute: async (_input, { mcp }) => {
        await mcp?.log("info", circle);
        await mcp?.log("info", 1n);
        return "told";
      },
    });
    const client = await connect(new SSEClientTransport(new URL("/sse", await serve([tell]))));
    const result = await client.callTool({ name: "tell", arguments: {} });
    expect(result).toEqual({ content: [{ type: "text", text: "told" }] });
  });
});

it("a tool that asks the client's model is told where there are no sessions", async () => {
  const think = createTool({
    id: "think",
    description: "Thinks.",
    execute: async (_input, { mcp }) => JSON.stringify(await mcp?.sample({ messages: [], maxTokens: 1 })),
  });
  const url = await serve([think], { legacy: "stateless" });
  const client = await connect(new StreamableHTTPClientTransport(url));
  const result = await client.callTool({ name: "think", arguments: {} });
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no sessions") }] });
});
