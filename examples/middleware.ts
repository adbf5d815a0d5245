// Middlewares wrap tool calls, the first one outermost. Here: a cache, and inside it a retry.
// expect: second try of {"city":"Oslo"}, because the network is down
// expect: Oslo is at 59.9 N
// expect: {"city":"Oslo"} is in the cache
import {
  AgenticToolsNode,
  assistantMessage,
  createTool,
  functionToolCall,
  type ToolCallMiddleware,
  type ToolOutput,
  toolResultsOf,
} from "kumiko";
import { z } from "zod";

const answers = [() => Promise.reject(new Error("the network is down")), () => Promise.resolve("Oslo is at 59.9 N")];
const locate = createTool({
  id: "locate",
  description: "Says where a city is.",
  inputSchema: z.object({ city: z.string() }),
  execute: () => answers.shift()?.() ?? Promise.reject(new Error("called too often")),
});

function cache(): ToolCallMiddleware {
  const known = new Map<string, ToolOutput>();
  return {
    invokable: (next) => async (call, ctx) => {
      const key = `${call.name} ${call.arguments}`;
      const found = known.get(key);
      if (found !== undefined) console.log(`${call.arguments} is in the cache`);
      const output = found ?? (await next(call, ctx));
      known.set(key, output);
      return output;
    },
  };
}

const secondTry: ToolCallMiddleware = {
  invokable: (next) => async (call, ctx) => {
    try {
      return await next(call, ctx);
    } catch (error) {
      console.log(`second try of ${call.arguments}, because ${error instanceof Error ? error.message : error}`);
      return await next(call, ctx);
    }
  },
};

const tools = new AgenticToolsNode({ tools: [locate], toolCallMiddlewares: [cache(), secondTry] });
const message = assistantMessage(functionToolCall({ callId: "1", name: "locate", arguments: '{"city":"Oslo"}' }));
for (let round = 1; round <= 2; round++) {
  for (const { result } of (await tools.invoke(message)).flatMap(toolResultsOf)) console.log(result);
}
