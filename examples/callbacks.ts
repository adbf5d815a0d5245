// Handlers observe every run of a graph, a node and a tool call: here, typed handlers per kind, a trace as JSON, and a
// tree.
// expect: tool roll got {"sides":6} and returned 4
// expect: graph took
// expect: nodes in the trace: throw, roll
// expect: ✓ dice graph
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  componentHandlers,
  consoleTracer,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  traceRecorder,
} from "kumiko";
import { z } from "zod";

const roll = createTool({
  id: "roll",
  description: "Rolls a die. It is fair.",
  inputSchema: z.object({ sides: z.int() }),
  execute: () => "4",
});
const dice = new Graph<AgenticMessage, AgenticMessage[]>()
  .addToolsNode("throw", new AgenticToolsNode([roll]))
  .addEdge(START, "throw")
  .addEdge("throw", END)
  .compile({ name: "dice" });

// The return value of onStart is the third argument of onEnd: use it for times, spans and the like.
const timing = componentHandlers({
  tool: {
    onStart: (_info, { arguments: json }) => json,
    onEnd: (info, { result }, json) => console.log(`tool ${info.name} got ${json} and returned ${result}`),
  },
  graph: {
    onStart: () => performance.now(),
    onEnd: (_info, _value, start) => console.log(`graph took ${(performance.now() - start).toFixed(1)} ms`),
  },
});

const trace = traceRecorder();
const message = assistantMessage(functionToolCall({ callId: "1", name: "roll", arguments: '{"sides":6}' }));
await dice.invoke(message, { callbacks: [timing, trace, consoleTracer({ maxLength: 40 })] });

const [root] = trace.toJSON().runs;
const names = root?.children.flatMap(({ name, children }) => [name, ...children.map((child) => child.name)]);
console.log(`nodes in the trace: ${names?.join(", ")}`);
