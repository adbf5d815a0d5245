// An agent with a thread: it calls tools in parallel, waits for a person to approve a booking, and resumes as it would
// in another process. The model follows a script; with an API key, use `openai("gpt-5")` instead.
// expect: tool get_weather {"city":"Kyoto"}
// expect: tool get_weather {"city":"Nara"}
// expect: waiting for approval of book { city: 'Kyoto' }
// expect: Booked: Kyoto is warmer.
// expect: 2 turns, the last one by agent
import { createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent, isToolApproval, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: city === "Kyoto" ? 21 : 18 }),
});
const book = createTool({
  id: "book",
  description: "Books a room.",
  inputSchema: z.object({ city: z.string() }),
  requireApproval: true,
  execute: ({ city }) => `booked in ${city}`,
});

const call = (callId: string, name: string, city: string) =>
  functionToolCall({ callId, name, arguments: JSON.stringify({ city }) });
const model = scriptedModel(
  [call("1", "get_weather", "Kyoto"), call("2", "get_weather", "Nara")],
  "Kyoto has 21 °C, Nara 18 °C.",
  [call("3", "book", "Kyoto")],
  "Booked: Kyoto is warmer.",
);

const store = memoryStore();
const agent = createAgent({ model, tools: [getWeather, book], store, instructions: "You plan trips." });

for await (const event of agent.stream("Where is it warmer, Kyoto or Nara?", { threadId: "u-1" })) {
  if (event.type === "tool_call") console.log("tool", event.name, event.arguments);
}

const held = await agent.generate("Book the warmer one", { threadId: "u-1" });
if (held.finishReason === "waiting") {
  const [question] = held.interrupts;
  if (isToolApproval(question)) console.log("waiting for approval of", question.info.toolName, question.info.input);
  const done = await agent.resume({ threadId: "u-1" }, { [question.id]: { approved: true } });
  console.log(done.text);
}

let turns = 0;
let last = "";
for await (const turn of threads(store).turns("u-1")) {
  turns = turn.number;
  last = turn.agent;
}
console.log(`${turns} turns, the last one by ${last}`);
