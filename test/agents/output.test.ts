import { assistantMessage, memoryStore, toolResultsOf } from "kumiko";
import { createAgent, messagesOf } from "kumiko/agents";
import { InvalidOutputError } from "kumiko/models";
import { mcpToolApprovalRequest, serverToolCall } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

const forecast = z.object({ city: z.string(), celsius: z.number() });
const good = { city: "Kyoto", celsius: 21 };

describe("an agent with an output schema", () => {
  it("uses the model's own format without tools", async () => {
    const model = scriptedModel(JSON.stringify(good));
    const { output, text } = await createAgent({ model, output: forecast }).generate("Weather?");
    expect(output).toEqual(good);
    expect(JSON.parse(text)).toEqual(good);
    expect(model.calls[0]?.options.responseFormat).toMatchObject({ type: "json", schema: { type: "object" } });
  });

  it("answers by a tool beside other tools", async () => {
    const { tool, ran } = weatherTool();
    const model = scriptedModel(
      [weatherCall("1", "Kyoto")],
      [call("2", "final_answer", good), weatherCall("3", "Nara")],
    );
    const result = await createAgent({ model, tools: [tool], output: forecast }).generate("Weather?");
    expect(result.output).toEqual(good);
    expect(result.finishReason).toBe("stop");
    expect(ran).toEqual(["Kyoto"]);
    expect(result.messages.flatMap(toolResultsOf).map(({ result: text, errorKind }) => errorKind ?? text)).toEqual([
      "Kyoto: 21 °C",
      "accepted",
      "not_executed",
    ]);
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(["get_weather", "final_answer"]);
    expect(model.calls[0]?.options.responseFormat).toBeUndefined();
  });

  it("takes a text that fits, and renames its tool where the name is taken", async () => {
    const taken = { final_answer: { description: "Mine.", execute: () => "mine" } };
    const model = scriptedModel(JSON.stringify(good));
    const result = await createAgent({ model, tools: taken, output: forecast }).generate("Weather?");
    expect(result.output).toEqual(good);
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(["final_answer", "final_answer_2"]);
  });

  it("has a misfit mended, with nothing but the answer to give", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([call("1", "final_answer", { city: 5 })], [call("2", "final_answer", good)]);
    const agent = createAgent({ model, tools: [tool], output: forecast });
    const result = await agent.generate("Weather?");
    expect(result.output).toEqual(good);
    expect(result.steps).toHaveLength(1);
    expect(model.calls[1]?.options.tools?.map(({ name }) => name)).toEqual(["final_answer"]);
    expect(resultTexts(result.messages)[0]).toContain("celsius");
    expect(canBeSent(result.messages)).toBe(true);
  });

  it("fails when the mended answer does not fit either", async () => {
    const model = scriptedModel("no", "no again", "never");
    const error = await failureOf(createAgent({ model, output: forecast }).generate("Weather?"));
    expect(InvalidOutputError.is(error) && error.text).toBe("no again");
    expect(messagesOf(error)).toHaveLength(1);
    expect(model.calls).toHaveLength(2);
    const strict = scriptedModel("no");
    await failureOf(createAgent({ model: strict, output: forecast, outputRepairs: 0 }).generate("Weather?"));
    expect(strict.calls).toHaveLength(1);
  });

  it("runs the other calls of a message whose answer does not fit", async () => {
    const { tool, ran } = weatherTool();
    const model = scriptedModel(
      [call("1", "final_answer", { city: 5 }), weatherCall("2", "Kyoto")],
      [call("3", "final_answer", good)],
    );
    const result = await createAgent({ model, tools: [tool], output: forecast }).generate("Weather?");
    expect(result.output).toEqual(good);
    expect(ran).toEqual(["Kyoto"]);
    expect(canBeSent(result.messages)).toBe(true);
  });

  it("asks again where a mended answer calls other tools, and then fails", async () => {
    const { tool, ran } = weatherTool();
    const script = () =>
      scriptedModel("no", [weatherCall("1", "Nara"), call("2", "final_answer", {})], [call("3", "final_answer", good)]);
    const result = await createAgent({ model: script(), tools: [tool], output: forecast, outputRepairs: 2 }).generate(
      "?",
    );
    expect(result.output).toEqual(good);
    expect(canBeSent(result.messages)).toBe(true);
    expect(result.messages.flatMap(toolResultsOf).map(({ errorKind }) => errorKind)).toEqual([
      "not_executed",
      "validation",
      undefined,
    ]);
    const model = scriptedModel("no", [weatherCall("1", "Nara")], "never");
    const error = await failureOf(createAgent({ model, tools: [tool], output: forecast }).generate("?"));
    expect(error.code).toBe("INVALID_OUTPUT");
    expect(error.message).toContain('calls "get_weather"');
    expect(model.calls).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  it("goes on where the provider has paused with an open call of its own", async () => {
    const search = serverToolCall({ callId: "s1", name: "web_search", arguments: {} });
    const paused = assistantMessage([search], { responseMeta: { finishReason: "tool_calls" } });
    const model = scriptedModel(paused, JSON.stringify(good));
    const result = await createAgent({ model, output: forecast, outputRepairs: 0 }).generate("Weather?");
    expect(result.output).toEqual(good);
    expect(result.steps).toHaveLength(2);
  });

  it("asks where the provider wants an approval instead of an answer", async () => {
    const request = mcpToolApprovalRequest({ id: "a1", name: "pay", arguments: "{}", serverLabel: "bank" });
    const agent = createAgent({
      model: scriptedModel([request], JSON.stringify(good)),
      output: forecast,
      outputRepairs: 0,
      store: memoryStore(),
    });
    const held = await agent.generate("Weather?");
    expect(held.finishReason).toBe("waiting");
  });

  it("logs no empty answer, also when it is mended", async () => {
    const model = scriptedModel(assistantMessage([]), JSON.stringify(good));
    const { messages } = await createAgent({ model, output: forecast }).generate("Weather?");
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
    expect(model.calls[1]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("tells of a repair, and streams to the same", async () => {
    const script = () => scriptedModel("{", JSON.stringify(good));
    const stream = createAgent({ model: script(), output: forecast }).stream("Weather?");
    const events = await eventsOf(stream);
    expect(events.find(({ type }) => type === "restart")).toMatchObject({ reason: "repair" });
    const generated = await createAgent({ model: script(), output: forecast }).generate("Weather?");
    expect(await stream.result).toEqual(generated);
  });

  it("wraps what is no object", async () => {
    const model = scriptedModel('{"value":["a","b"]}');
    const { output } = await createAgent({ model, output: z.array(z.string()) }).generate("Letters?");
    expect(output).toEqual(["a", "b"]);
  });

  it("has no output where the run ended before there was one", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")]);
    const agent = createAgent({ model, tools: [tool], output: forecast, stopWhen: () => true });
    const result = await agent.generate("Weather?");
    expect(() => result.output).toThrow("stop_when");
    expect(JSON.stringify({ ...result })).toContain("stop_when");
  });

  it("is asked for it in the last answer", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], [call("2", "final_answer", good)]);
    const result = await createAgent({ model, tools: [tool], output: forecast, maxSteps: 1 }).generate("Weather?");
    expect(result.output).toEqual(good);
    expect(model.calls[1]?.options.toolChoice).toEqual({ toolNames: ["final_answer"] });
  });
});
