/** A process whose agent runs turn after turn of a few threads: `node push-worker.mjs <file> <threads>`. It ends by SIGTERM, or is killed. */
import { assistantMessage, createTool, functionToolCall, KumikoError, textOf } from "kumiko";
import { createAgent } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";

const [file = "", count = "1"] = process.argv.slice(2);
const store = sqliteStore(file);
const pause = (most: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));
let isOver = false;
process.on("SIGTERM", () => {
  isOver = true;
});

const look = createTool({
  id: "look",
  description: "Looks.",
  inputSchema: { type: "object" },
  execute: async () => {
    await pause(8);
    return "seen";
  },
});

let calls = 0;
const agent = createAgent({
  model: {
    component: "model",
    generate: async (messages) => {
      await pause(8);
      if (Math.random() < 0.5) return assistantMessage(`read ${messages.map(textOf).at(-1)}`);
      calls += 1;
      return assistantMessage([functionToolCall({ callId: `${process.pid}-${calls}`, name: "look", arguments: "{}" })]);
    },
  },
  tools: [look],
  store,
  maxSteps: 100,
});

async function turns(threadId: string): Promise<void> {
  while (!isOver) {
    try {
      if (Math.random() < 0.5) await agent.resume({ threadId });
      else await agent.generate("Go on", { threadId });
    } catch (error) {
      if (!KumikoError.is(error)) throw error;
    }
  }
}

await Promise.all(Array.from({ length: Number(count) }, (_, index) => turns(`t${index}`)));
await store.close();
