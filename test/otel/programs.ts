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
  toolCallsOr,
} from "kumiko";
import type { ResponseMeta } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";

/** An answer of `openai/gpt-5` that cost so many tokens. */
export function answer(
  content: Parameters<typeof assistantMessage>[0],
  promptTokens = 10,
  completionTokens = 5,
): AgenticMessage {
  const responseMeta: ResponseMeta = {
    model: "openai.responses/gpt-5",
    finishReason: "stop",
    tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
    extension: { provider: "openai.responses", id: "resp_1", modelId: "gpt-5-2026" },
  };
  return assistantMessage(content, { responseMeta });
}

/** A model with the name of a real one. */
export function named(model: AgenticModel, type = "openai.responses/gpt-5"): AgenticModel {
  return {
    component: "model",
    type,
    generate: (messages, ctx) => model.generate(messages, ctx),
    stream: (messages, ctx) => model.stream(messages, ctx),
  };
}

export const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  execute: ({ city }: { city: string }) => `21 degrees in ${city}`,
});

export const toolCall = functionToolCall({ callId: "call_1", name: "get_weather", arguments: '{"city":"Kyoto"}' });

/** The loop every agent is made of: one tool call, then an answer. */
export function agentLoop(model = named(scriptedModel(answer(toolCall, 20, 8), answer("21 degrees.", 40, 4)))) {
  const tools = new AgenticToolsNode([getWeather]);
  return new Graph<AgenticMessage[], AgenticMessage>()
    .withState(() => ({ history: [] as AgenticMessage[] }))
    .addModelNode("model", model, {
      options: { tools: tools.infos, temperature: 0.5, maxOutputTokens: 100, stop: ["END"] },
      before: (messages, state) => {
        state.history.push(...messages);
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
    .compile({ name: "weather", maxSteps: 20 });
}
