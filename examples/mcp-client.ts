// expect: asks: Who gets the tea?
// expect: tea for Ada
// Uses the tools of an MCP server. When the server asks a person, the run stops, and resumes with the answer.
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  functionToolCall,
  isInterrupt,
  memoryStore,
  toolResultsOf,
} from "kumiko";
import { connectMcp, MCPServer } from "kumiko/mcp";
import { z } from "zod";

// elsewhere: a server with a tool that asks
const shop = new MCPServer({
  name: "Shop",
  version: "1.0.0",
  tools: [
    createTool({
      id: "order",
      description: "Orders an item.",
      inputSchema: z.object({ item: z.string() }),
      execute: async ({ item }, ctx) => {
        const { name } = await ctx.ask("who", `Who gets the ${item}?`, z.object({ name: z.string() }));
        return `${item} for ${name}`;
      },
    }),
  ],
});
const { url } = await shop.listen({ port: 0 });

// here
const connection = await connectMcp({ shop: { url } });
const tools = new AgenticToolsNode({ tools: connection.tools() });
const app = new Chain<AgenticMessage>().appendToolsNode(tools).compile({ store: memoryStore() });
const order = functionToolCall({ callId: "1", name: "shop_order", arguments: '{"item":"tea"}' });
try {
  await app.invoke(assistantMessage([order]), { checkpointId: "order-7" });
} catch (error) {
  if (!isInterrupt(error)) throw error;
  const [question] = error.interrupts;
  const { message } = z.object({ message: z.string() }).parse(question?.info);
  console.log("asks:", message);
  const answer = { action: "accept", content: { name: "Ada" } };
  const results = await app.resume("order-7", { [question?.id ?? ""]: answer });
  for (const { result } of results.flatMap(toolResultsOf)) console.log(result);
}
await connection.close();
await shop.close();
