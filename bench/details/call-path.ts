// The files whose code runs from `invoke` of a graph to the function of a tool: npx tsx bench/details/call-path.ts
import { type Profiler, Session } from "node:inspector";
import { z } from "zod";
import { END, Graph, START } from "../../src/compose/index.js";
import type { AgenticMessage } from "../../src/schema/message/agentic-message.js";
import { functionToolCall } from "../../src/schema/message/construct-block.js";
import { assistantMessage } from "../../src/schema/message/construct-message.js";
import { createTool } from "../../src/tools/define/create-tool.js";
import { AgenticToolsNode } from "../../src/tools/node/agentic-tools-node.js";

const session = new Session();
session.connect();
session.post("Profiler.enable");

let seen: string[] | undefined;
let isCounting = false;

const tool = createTool({
  id: "double",
  description: "Doubles a number.",
  inputSchema: z.object({ number: z.number() }),
  execute: ({ number }) => {
    if (isCounting) session.post("Profiler.takePreciseCoverage", (_error, { result }) => (seen = result.map(nameOf)));
    return number * 2;
  },
});
const app = new Graph<AgenticMessage, AgenticMessage[]>()
  .addNode("tools", new AgenticToolsNode({ tools: [tool] }))
  .addEdge(START, "tools")
  .addEdge("tools", END)
  .compile();
const message = assistantMessage(functionToolCall({ callId: "1", name: "double", arguments: '{"number":21}' }));

// what is made once is made by now
for (let n = 0; n < 10; n++) await app.invoke(message);
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
session.post("Profiler.takePreciseCoverage");
isCounting = true;
await app.invoke(message);

/** The file, if one of its functions was called. */
function nameOf({ url, functions }: Profiler.ScriptCoverage): string {
  const wasCalled = functions.some(({ functionName, ranges: [all] }) => functionName !== "" && all && all.count > 0);
  return wasCalled ? (/\/src\/(.+)$/.exec(url)?.[1] ?? "") : "";
}

const files = (seen ?? []).filter((name) => name !== "");
console.log(`${files.length} files\n${files.sort().join("\n")}`);
