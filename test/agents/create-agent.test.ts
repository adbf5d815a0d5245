import { assistantMessage, createTool, functionToolCall, textOf, toolResultsOf, userMessage } from "kumiko";
import { type AgentEvent, calledTool, createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const weather = createTool({
  id: "get_weather",
  description: "Weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 21 °C`,
});
const call = (callId: string, city: string) =>
  functionToolCall({ callId, name: "get_weather", arguments: JSON.stringify({ city }) });

describe("an agent", () => {
  it("answers with the text of its model", async () => {
    const agent = createAgent({ model: scriptedModel("Hello!") });
    const result = await agent.generate("Hi");
    expect(result.text).toBe("Hello!");
    expect(result.output).toBe("Hello!");
    expect(result.finishReason).toBe("stop");
    expect(result.interrupts).toEqual([]);
    expect(result.messages).toEqual([userMessage("Hi"), assistantMessage("Hello!")]);
    expect(result.agent).toBe("agent");
    expect(result.steps).toHaveLength(1);
  });

  it("runs the tools that its model calls, and asks again with their results", async () => {
    const model = scriptedModel([call("1", "Kyoto"), call("2", "Nara")], "Warm.");
    const agent = createAgent({ model, tools: [weather], instructions: "Be brief." });
    const { text, messages, steps } = await agent.generate("Weather?");
    expect(text).toBe("Warm.");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user", "assistant"]);
    expect(messages.flatMap(toolResultsOf).map(({ result }) => result)).toEqual(["Kyoto: 21 °C", "Nara: 21 °C"]);
    expect(steps.map(({ results }) => results.length)).toEqual([2, 0]);
    expect(model.calls[0]?.messages.map(textOf)).toEqual(["Be brief.", "Weather?"]);
    expect(model.calls[1]?.messages.slice(0, 2)).toEqual(model.calls[0]?.messages);
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(["get_weather"]);
  });

  it("streams events that end with finish", async () => {
    const model = scriptedModel([call("1", "Kyoto")], [assistantMessage("War"), assistantMessage("m.")]);
    const agent = createAgent({ model, tools: [weather] });
    const events: AgentEvent[] = [];
    for await (const event of agent.stream("Weather?")) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "step_start",
      "tool_call_start",
      "tool_call_delta",
      "tool_call",
      "message",
      "tool_result",
      "step_finish",
      "step_start",
      "text_delta",
      "text_delta",
      "message",
      "step_finish",
      "finish",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it("ends when stopWhen says so", async () => {
    const model = scriptedModel([call("1", "Kyoto")], "never");
    const agent = createAgent({ model, tools: [weather], stopWhen: calledTool("get_weather") });
    const result = await agent.generate("Weather?");
    expect(result.finishReason).toBe("stop_when");
    expect(model.calls).toHaveLength(1);
  });
});
