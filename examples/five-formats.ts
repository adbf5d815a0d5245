// Tools from five packages in one tools node, without wrappers and with the same rules for all of them.
// expect: celsius (createTool) → {"fahrenheit":68}
// expect: shout (plain object) → HELLO
// expect: distance (AI SDK) → {"kilometres":42.195}
// expect: slow (TanStack AI) → {"minutes":3}
// expect: add (MCP server) → 5
// expect: celsius: validation
// expect: shout: validation
// expect: distance: validation
// expect: slow: validation
// expect: add: validation
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { toolDefinition } from "@tanstack/ai";
import { tool } from "ai";
import { AgenticToolsNode, assistantMessage, createTool, functionToolCall, mcpTools, toolResultsOf } from "kumiko";
import { z } from "zod";

// 1. createTool: its input is typed by the schema.
const celsius = createTool({
  id: "celsius",
  description: "Degrees Celsius in Fahrenheit.",
  inputSchema: z.object({ degrees: z.number() }),
  execute: ({ degrees }) => ({ fahrenheit: degrees * 1.8 + 32 }),
});

// 2. A function and its schema, here a plain JSON Schema. The key of the record becomes its name.
const shout = {
  description: "Says it louder.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }: { text: string }) => text.toUpperCase(),
};

// 3. A tool of the AI SDK.
const distance = tool({
  description: "Marathons in kilometres.",
  inputSchema: z.object({ marathons: z.number() }),
  execute: async ({ marathons }) => ({ kilometres: marathons * 42.195 }),
});

// 4. A tool of TanStack AI.
const slow = toolDefinition({
  name: "slow",
  description: "Seconds in minutes.",
  inputSchema: z.object({ seconds: z.number() }),
  outputSchema: z.object({ minutes: z.number() }),
}).server(async ({ seconds }) => ({ minutes: seconds / 60 }));

// 5. The tools of an MCP server. This one is in the same process; yours can be anywhere.
const server = new McpServer({ name: "calculator", version: "1.0.0" });
server.registerTool(
  "add",
  { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
);
const client = new Client({ name: "example", version: "1.0.0" });
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(there), client.connect(here)]);
const served = await mcpTools(client);

const tools = new AgenticToolsNode({
  tools: { celsius, shout, distance, slow, ...Object.fromEntries(served.map((each) => [each.id, each])) },
  onToolError: "result",
});
const origins = new Map([
  ["celsius", "createTool"],
  ["shout", "plain object"],
  ["distance", "AI SDK"],
  ["slow", "TanStack AI"],
  ["add", "MCP server"],
]);

// The names that a model sees, and calls as a model would write them:
const given = {
  celsius: { degrees: 20 },
  shout: { text: "hello" },
  distance: { marathons: 1 },
  slow: { seconds: 180 },
};
const asked = Object.entries({ ...given, add: { a: 2, b: 3 } });
const right = asked.map(([name, input]) => functionToolCall({ callId: name, name, arguments: JSON.stringify(input) }));
for (const { name, result } of (await tools.invoke(assistantMessage(right))).flatMap(toolResultsOf)) {
  console.log(`${name} (${origins.get(name)}) → ${result}`);
}

// Invalid arguments never reach any of the five functions, and nothing is sent to the server:
const wrong = tools.infos.map(({ name }) => functionToolCall({ callId: name, name, arguments: '{"text":1}' }));
for (const { name, errorKind, result } of (await tools.invoke(assistantMessage(wrong))).flatMap(toolResultsOf)) {
  console.log(`${name}: ${errorKind}: ${result}`);
}
await client.close();
