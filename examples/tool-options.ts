// A tool can have its own options: typed, with defaults, and set per run. Other tools ignore them.
// expect: flights with a limit of 3 and 2 retries
// expect: flights with a limit of 10 and 2 retries
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  functionToolCall,
  toolOptions,
  toolResultsOf,
} from "kumiko";
import { z } from "zod";

interface SearchOptions {
  limit: number;
  retries: number;
}
const options = toolOptions<SearchOptions>("search", { limit: 3, retries: 2 });
const withLimit = (limit: number) => options.with({ limit });

const search = createTool({
  id: "search",
  description: "Searches the catalogue.",
  inputSchema: z.object({ query: z.string() }),
  options,
  execute: ({ query }, ctx) => `${query} with a limit of ${ctx.options.limit} and ${ctx.options.retries} retries`,
});

const run = new Chain<string>()
  .append((query) => JSON.stringify({ query }))
  .append((json) => assistantMessage(functionToolCall({ callId: "1", name: "search", arguments: json })))
  .appendToolsNode(new AgenticToolsNode([search]))
  .append((messages) => messages.flatMap(toolResultsOf)[0]?.result)
  .compile();

console.log(await run.invoke("flights"));
console.log(await run.invoke("flights", { options: { tool: [withLimit(10)] } }));
