import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { toolDefinition } from "@tanstack/ai";
import { tool } from "ai";
import { AgenticToolsNode, assistantMessage, createTool, functionToolCall, mcpTools, toolResultsOf } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { type CassetteOptions, cassette } from "kumiko/evals";
import { createTool as mastraTool } from "kumiko/mastra";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { newFolder } from "./temporary-folder.js";

/** A tool of each format, which notes that it ran. */
async function toolsOf(ran: (name: string) => void): Promise<Record<string, AnyTool>> {
  const server = new McpServer({ name: "calculator", version: "1.0.0" });
  server.registerTool("served", { description: "d", inputSchema: z.object({ a: z.number() }) }, async ({ a }) => {
    ran("served");
    return { content: [{ type: "text", text: String(a + 1) }] };
  });
  const client = new Client({ name: "example", version: "1.0.0" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const inputSchema = z.object({ a: z.number() });
  const work = (name: string) => async (input: { a: number }) => {
    ran(name);
    return { a: input.a + 1 };
  };
  async function* pieces({ a }: { a: number }) {
    ran("streamed");
    yield `${a} and `;
    yield `${a + 1}`;
  }
  const [served] = await mcpTools(client);
  return {
    own: createTool({ id: "own", description: "d", inputSchema, execute: work("own") }),
    streamed: createTool({ id: "streamed", description: "d", inputSchema, execute: pieces }),
    mastra: mastraTool({
      id: "mastra",
      description: "d",
      inputSchema,
      execute: async ({ context }) => work("mastra")(context),
    }),
    plain: { name: "plain", description: "d", inputSchema, execute: work("plain") } as AnyTool,
    aiSdk: { ...tool({ description: "d", inputSchema, execute: work("aiSdk") }), name: "aiSdk" } as AnyTool,
    tanStack: toolDefinition({ name: "tanStack", description: "d", inputSchema }).server(work("tanStack")),
    ...(served !== undefined && { served }),
  };
}

test("a tape does the work of tools of every format, and none of them runs again", async () => {
  const folder = newFolder();
  const results: unknown[] = [];
  for (const mode of ["auto", "replay"] satisfies CassetteOptions["mode"][]) {
    const ran: string[] = [];
    const tools = await toolsOf((name) => void ran.push(name));
    const names = Object.keys(tools);
    const tape = cassette(folder, { mode });
    const node = new AgenticToolsNode({ tools: tape.tools(Object.values(tools)) });
    const calls = names.map((name) => functionToolCall({ callId: name, name, arguments: '{"a":1}' }));
    const messages = await node.invoke(assistantMessage(calls));
    results.push(messages.flatMap(toolResultsOf).map(({ name, result, content }) => [name, result, content]));
    expect(ran.toSorted()).toEqual(mode === "auto" ? names.toSorted() : []);
    expect(tape.stats).toMatchObject({ recorded: mode === "auto" ? 7 : 0, replayed: mode === "auto" ? 0 : 7 });
    await expect(
      node.invoke(assistantMessage([functionToolCall({ callId: "x", name: "own", arguments: '{"a":"1"}' })])),
    ).rejects.toThrow(/do not fit its inputSchema/);
  }
  expect(results[1]).toEqual(results[0]);
});

test("a tool without a name is told to have one", () => {
  const nameless = tool({ description: "d", inputSchema: z.object({}), execute: async () => 1 });
  expect(() => cassette(newFolder()).tools([nameless as AnyTool])).toThrow(/name/);
});
