import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import type { Contender } from "../contender.js";

export const langchainMcp: Contender = {
  name: "LangChain MCP",
  mcpConnect: (url) => async () => {
    const client = new MultiServerMCPClient({ s: { transport: "http", url: await url } });
    const tools = await client.getTools();
    await client.close();
    return tools.length;
  },
};
