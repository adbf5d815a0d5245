// Steering: something is said to a turn that runs, from any process with the same store. The model reads it before its next
// answer; a turn that is about to end takes one more step; and a turn that is over takes nothing. The model follows a script.
// expect: told: Only maples, please.
// expect: told: And in one line.
// expect: Maples turn red in cold nights.
// expect: too late: false
// expect: the thread: user, assistant, user, user, assistant, user, assistant
import { createTool, functionToolCall, memoryStore, textOf } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";

const store = memoryStore();
const push = (text: string): Promise<boolean> => threads(store).push("trees", text);

const search = createTool({
  id: "search",
  description: "Searches.",
  execute: async () => {
    await push("Only maples, please.");
    return "maples, birches, oaks";
  },
});

const agent = createAgent({
  store,
  tools: [search],
  model: scriptedModel(
    [functionToolCall({ callId: "1", name: "search", arguments: "{}" })],
    async () => {
      await push("And in one line.");
      return "Maples turn red. They do so in autumn, when nights are cold.";
    },
    "Maples turn red in cold nights.",
  ),
});

const stream = agent.stream("Tell me about trees.", { threadId: "trees" });
for await (const event of stream) {
  if (event.type === "pushed") for (const message of event.messages) console.log(`told: ${textOf(message)}`);
}
console.log((await stream.result).text);
console.log(`too late: ${await push("What about oaks?")}`);
console.log(`the thread: ${(await threads(store).messages("trees")).map(({ role }) => role).join(", ")}`);
