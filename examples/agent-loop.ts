// The basic agent loop: call the model, run the tools, and repeat until the model calls no more tools. Works with any
// AgenticModel.
// expect: calls get_weather for Oslo
// expect: Oslo has 4 °C and Rome has 21 °C.
import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  StreamReader,
  textOf,
  toolCallsOr,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { z } from "zod";

const stations: Record<string, number> = { Oslo: 4, Rome: 21 };
const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: async ({ city }, { toolName }) => {
    console.log(`calls ${toolName} for ${city}`);
    return { celsius: stations[city] ?? 0 };
  },
});
const tools = new AgenticToolsNode([getWeather]);

// Two rules instead of a language model: ask for every city in the question, then report what the tools found.
function answer(messages: readonly AgenticMessage[]): AgenticMessage {
  const cities = textOf(messages[0] ?? userMessage("")).match(/Oslo|Rome/g) ?? [];
  const results = messages.flatMap(toolResultsOf).map(({ result }) => JSON.parse(result).celsius);
  if (results.length > 0)
    return assistantMessage(`${cities.map((city, i) => `${city} has ${results[i]} °C`).join(" and ")}.`);
  return assistantMessage(
    cities.map((city) => functionToolCall({ callId: city, name: "get_weather", arguments: JSON.stringify({ city }) })),
  );
}
const model: AgenticModel = {
  component: "model",
  generate: async (messages) => answer(messages),
  stream: (messages) => StreamReader.from([answer(messages)]),
};

const agent = new Graph<AgenticMessage[], AgenticMessage>()
  .withState(() => ({ history: [] as AgenticMessage[] }))
  .addModelNode("model", model, {
    options: { tools: tools.infos },
    before: (input, state) => {
      state.history.push(...input);
      return [...state.history];
    },
  })
  .addToolsNode("tools", tools, {
    before: (message, state) => {
      state.history.push(message);
      return message;
    },
  })
  .addEdge(START, "model")
  .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
  .addEdge("tools", "model")
  .compile({ name: "agent", maxSteps: 20 });

console.log(textOf(await agent.invoke([userMessage("Weather in Oslo and Rome?")])));
