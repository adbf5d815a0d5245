// A tools node does not need a graph: it takes a model's message and returns one result message per call, in call
// order.
// expect: add → {"sum":5}
// expect: ask_oracle → There is no "ask_oracle"
// expect: add → error (validation)
import { AgenticToolsNode, assistantMessage, createTool, functionToolCall, toolResultsOf } from "kumiko";
import { z } from "zod";

const add = createTool({
  id: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});

const tools = new AgenticToolsNode({
  tools: [add],
  onToolError: "result", // errors become results, which the model may read and repair
  unknownToolsHandler: (name) => `There is no "${name}" here. Use add.`,
  timeoutMs: 5_000,
});

const results = await tools.invoke(
  assistantMessage([
    functionToolCall({ callId: "1", name: "add", arguments: '{"a":2,"b":3}' }),
    functionToolCall({ callId: "2", name: "ask_oracle", arguments: "{}" }),
    functionToolCall({ callId: "3", name: "add", arguments: '{"a":"two","b":3}' }),
  ]),
);
for (const { name, result, isError, errorKind } of results.flatMap(toolResultsOf)) {
  console.log(`${name} → ${isError ? `error (${errorKind}): ${result}` : result}`);
}

// What a model sees of the tools:
console.log(JSON.stringify(tools.infos, null, 2));
