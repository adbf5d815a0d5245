import { createTool } from "kumiko";
import { connectMcp, MCPServer } from "kumiko/mcp";
import { weather } from "../contender.js";
import { callOf, weatherOutput } from "./mcp-by-hand.js";

/** The same client, and an MCPServer. */
export function mcpCall(): () => Promise<unknown> {
  const { name, description, schema: inputSchema, execute } = weather;
  const tool = createTool({ id: name, description, inputSchema, outputSchema: weatherOutput, execute });
  const server = new MCPServer({ name: "weather", version: "1.0.0", tools: [tool] });
  return callOf(server.fetch);
}

export function mcpConnect(url: string): () => Promise<number> {
  return async () => {
    const connection = await connectMcp({ s: { url } });
    const { length } = connection.tools();
    await connection.close();
    return length;
  };
}
