// Tools whose schemas others wrote: operations of an OpenAPI document, and tools of an MCP server.
import { AgenticToolsNode, assistantMessage, functionToolCall, mcpTools } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { openApiTools } from "kumiko/openapi";

const document = {
  openapi: "3.1.0",
  servers: [{ url: "https://pets.example" }],
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } }],
      },
    },
  },
  components: { schemas: { Id: { type: "integer" } } },
};

/** What comes of a good and a bad call, or what is missing here. */
export async function callOpenApi(): Promise<readonly string[]> {
  try {
    const [pet] = await openApiTools(document, { fetch: async (url) => Response.json({ asked: String(url) }) });
    return pet === undefined ? [] : await call(pet);
  } catch (error) {
    return [String(error)];
  }
}

export async function callMcp(): Promise<readonly string[]> {
  const properties = { id: { type: "integer" } };
  const [pet] = await mcpTools({
    listTools: async () => ({ tools: [{ name: "pet", inputSchema: { type: "object", properties } }] }),
    callTool: async ({ arguments: input }) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
  });
  return pet === undefined ? [] : call(pet);
}

async function call(tool: AnyTool): Promise<string[]> {
  const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
  const texts = ["7", '"seven"'].map((value) => `{"id":${value}}`);
  const calls = texts.map((text) => functionToolCall({ callId: text, name: "pet", arguments: text }));
  const messages = await node.invoke(assistantMessage(calls));
  return messages
    .flatMap(({ contentBlocks }) => contentBlocks)
    .map((block) => (block.type === "function_tool_result" ? block.result : ""));
}
