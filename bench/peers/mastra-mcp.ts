import { MCPClient } from "@mastra/mcp";
import type { Contender } from "../contender.js";

let clients = 0;

export const mastraMcp: Contender = {
  name: "Mastra MCP",
  mcpConnect: (url) => async () => {
    // two clients of one configuration must have different ids
    clients += 1;
    const client = new MCPClient({ id: `bench-${clients}`, servers: { s: { url: new URL(await url) } } });
    const tools = await client.listTools();
    await client.disconnect();
    return Object.keys(tools).length;
  },
};
