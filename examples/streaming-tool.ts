// A tool whose execute is an async generator streams its result; the tools node interleaves the streams of parallel
// calls.
// expect: slot 1: done
// expect: slot 0: 3 …
// expect: whole: 3 … 2 … 1 … lift-off
import { AgenticToolsNode, assistantMessage, createTool, functionToolCall, toolResultsOf } from "kumiko";
import { z } from "zod";

const countdown = createTool({
  id: "countdown",
  description: "Counts down to a start.",
  inputSchema: z.object({ from: z.int().positive() }),
  execute: async function* ({ from }) {
    for (let number = from; number > 0; number--) yield `${number} … `;
    yield "lift-off";
  },
});
const check = createTool({ id: "check", description: "Checks the tanks.", execute: () => "done" });

const tools = new AgenticToolsNode([countdown, check]);
const message = assistantMessage([
  functionToolCall({ callId: "a", name: "countdown", arguments: '{"from":3}' }),
  functionToolCall({ callId: "b", name: "check", arguments: "{}" }),
]);

// As a stream: sparse arrays with one slot per call, in the order in which the tools emit chunks.
for await (const slots of tools.stream(message)) {
  slots.forEach((result, slot) => {
    for (const { result: piece } of toolResultsOf(result)) console.log(`slot ${slot}: ${piece}`);
  });
}

// As a value: one message per call, in the order of the calls.
const [first] = await tools.invoke(message);
if (first !== undefined) console.log(`whole: ${toolResultsOf(first)[0]?.result}`);
