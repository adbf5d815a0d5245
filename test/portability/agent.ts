// An agent loop with a tool of a plain JSON Schema, an approval, a stream, an abort and a save. portability.test.ts bundles it and
// starts it in each runtime: `program.ts` as a program, `worker.ts` in workerd.
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  isInterrupt,
  memoryStore,
  START,
  textOf,
  toolCallsOr,
  userMessage,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const pay = createTool({
  id: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
  requireApproval: true,
  execute: async (input) => `paid ${(input as { euros: number }).euros}`,
});
const model = scriptedModel(
  assistantMessage([functionToolCall({ callId: "c1", name: "pay", arguments: '{"euros":3}' })]),
  assistantMessage("done"),
);
const agent = new Graph<AgenticMessage[], AgenticMessage>()
  .withState(() => ({ history: [] as AgenticMessage[] }))
  .addModelNode("model", model, {
    before: (input, { history }) => {
      history.push(...input);
      return [...history];
    },
  })
  .addToolsNode("tools", new AgenticToolsNode([pay]), {
    before: (message, { history }) => {
      history.push(message);
      return message;
    },
  })
  .addEdge(START, "model")
  .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
  .addEdge("tools", "model")
  .compile({ store: memoryStore(), durability: "step" });

/** Prints what came of it. */
export async function main(): Promise<void> {
  let asked: unknown;
  let answer = "";
  try {
    await agent.invoke([userMessage("Pay 3.")], { checkpointId: "run" });
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    const [{ id, info }] = error.interrupts;
    asked = info;
    for await (const chunk of agent.resumeStream("run", { [id]: { approved: true } })) answer += textOf(chunk);
  }
  const endless = new Chain<string>().append(async function* (text) {
    for (;;) yield text;
  });
  const controller = new AbortController();
  let reason: unknown;
  try {
    for await (const _ of endless.compile().stream("x", { signal: controller.signal })) controller.abort("enough");
  } catch (error) {
    reason = error;
  }
  console.log(JSON.stringify({ asked, answer, reason }));
}
