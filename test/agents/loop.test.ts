import {
  type AgenticMessage,
  assistantMessage,
  createTool,
  END,
  Graph,
  START,
  systemMessage,
  textOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { createAgent, messagesOf } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

describe("the steps of an agent", () => {
  it("end with the result of a tool that returns directly", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], "never");
    const agent = createAgent({ model, tools: [tool], returnDirectly: ["get_weather"] });
    const result = await agent.generate("Weather?");
    expect(result).toMatchObject({ finishReason: "returned", text: "Kyoto: 21 °C" });
    expect(model.calls).toHaveLength(1);
  });

  it("go on when a tool that returns directly has failed", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([call("1", "get_weather", { town: 1 })], "Sorry.");
    const agent = createAgent({ model, tools: [tool], returnDirectly: ["get_weather"] });
    expect(await agent.generate("Weather?")).toMatchObject({ finishReason: "stop", text: "Sorry." });
  });

  it("end with one more answer without tools at the limit", async () => {
    const { tool, ran } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], [weatherCall("2", "Nara")], "That is all.");
    const agent = createAgent({ model, tools: [tool], maxSteps: 2 });
    const result = await agent.generate("Weather?");
    expect(result).toMatchObject({ finishReason: "max_steps", text: "That is all." });
    expect(ran).toEqual(["Kyoto", "Nara"]);
    expect(model.calls.map(({ options }) => options.toolChoice)).toEqual([undefined, undefined, "none"]);
  });

  it("do not run calls of the answer that was to have none", async () => {
    const { tool, ran } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], [weatherCall("2", "Nara")]);
    const agent = createAgent({ model, tools: [tool], maxSteps: 1 });
    const result = await agent.generate("Weather?");
    expect(result.finishReason).toBe("max_steps");
    expect(ran).toEqual(["Kyoto"]);
    expect(result.messages.flatMap(toolResultsOf).at(-1)?.errorKind).toBe("not_executed");
    expect(canBeSent(result.messages)).toBe(true);
  });

  it("stop or fail at the limit where the agent wants that", async () => {
    const script = () => scriptedModel([weatherCall("1", "Kyoto")], [weatherCall("2", "Nara")]);
    const { tool } = weatherTool();
    const stopping = createAgent({ model: script(), tools: [tool], onMaxSteps: "stop" });
    expect((await stopping.generate("Weather?", { maxSteps: 1 })).finishReason).toBe("max_steps");
    const failing = createAgent({ model: script(), tools: [tool], maxSteps: 2, onMaxSteps: "throw" });
    const error = await failureOf(failing.generate("Weather?"));
    expect(error.code).toBe("MAX_STEPS_EXCEEDED");
    expect(resultTexts(messagesOf(error))).toEqual(["Kyoto: 21 °C", "Nara: 21 °C"]);
  });

  it("may be more than the graph has nodes", async () => {
    const { tool } = weatherTool();
    const calls = Array.from({ length: 40 }, (_, index) => [weatherCall(String(index), "Kyoto")]);
    const agent = createAgent({ model: scriptedModel(...calls, "Done."), tools: [tool], maxSteps: 50 });
    expect((await agent.generate("Weather?")).steps).toHaveLength(41);
  });

  it("give failing calls a result that the model reads", async () => {
    const broken = createTool({
      id: "broken",
      description: "Fails.",
      execute: () => {
        throw new Error("no power");
      },
    });
    const model = scriptedModel([call("1", "broken"), call("2", "unknown")], "Sorry.");
    const result = await createAgent({ model, tools: [broken] }).generate("Go");
    const [first, second] = result.messages.flatMap(toolResultsOf);
    expect(first).toMatchObject({ isError: true, errorKind: "execution" });
    expect(second?.result).toContain("broken");
  });

  it("end with an error that has the log when a tool is to throw", async () => {
    const broken = createTool({
      id: "broken",
      description: "Fails.",
      execute: () => {
        throw new Error("no power");
      },
    });
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto"), call("2", "broken")]);
    const agent = createAgent({ model, tools: [tool, broken], onToolError: "throw" });
    const error = await failureOf(agent.generate("Go"));
    expect(error.code).toBe("TOOL_FAILED");
    expect(canBeSent(messagesOf(error))).toBe(true);
    expect(resultTexts(messagesOf(error))[0]).toBe("Kyoto: 21 °C");
  });

  it("go on when the provider has paused, and not for an open server call alone", async () => {
    const paused = assistantMessage("Searching", { responseMeta: { rawFinishReason: "pause_turn" } });
    const model = scriptedModel(paused, "Found.");
    const result = await createAgent({ model }).generate("Search");
    expect(result.text).toBe("Found.");
    expect(result.steps).toHaveLength(2);
    const open = assistantMessage([
      { type: "server_tool_call", callId: "s", name: "search", arguments: {} },
      { type: "assistant_gen_text", text: "Done" },
    ]);
    expect((await createAgent({ model: scriptedModel(open) }).generate("Search")).text).toBe("Done");
  });

  it("go on when the provider waits for calls of its own, and not when these are done", async () => {
    const responseMeta = { finishReason: "tool_calls" };
    const call = { type: "server_tool_call", callId: "s", name: "search", arguments: {} } as const;
    const result = { type: "server_tool_result", callId: "s", name: "search", content: "found" } as const;
    const waiting = createAgent({ model: scriptedModel(assistantMessage([call], { responseMeta }), "Found.") });
    expect((await waiting.generate("Search")).text).toBe("Found.");
    const done = assistantMessage([call, result, { type: "assistant_gen_text", text: "Done" }], { responseMeta });
    const ended = await createAgent({ model: scriptedModel(done) }).generate("Search");
    expect(ended).toMatchObject({ text: "Done", finishReason: "stop" });
  });

  it("do not log an empty answer", async () => {
    const result = await createAgent({ model: scriptedModel(assistantMessage([])) }).generate("Hi");
    expect(result).toMatchObject({ text: "", finishReason: "stop", messages: [userMessage("Hi")] });
  });

  it("say why the model stopped", async () => {
    const reasons = ["length", "content_filter", "strange"];
    const ends = reasons.map(async (finishReason) => {
      const model = scriptedModel(assistantMessage("x", { responseMeta: { finishReason } }));
      return (await createAgent({ model }).generate("Hi")).finishReason;
    });
    expect(await Promise.all(ends)).toEqual(["length", "content_filter", "other"]);
  });

  it("sum what every call used", async () => {
    const tokenUsage = { promptTokens: 10, completionTokens: 2, totalTokens: 12, cachedTokens: 4 };
    const responseMeta = { tokenUsage, model: "demo/maple" };
    const { tool } = weatherTool();
    const model = scriptedModel(
      assistantMessage([weatherCall("1", "Kyoto")], { responseMeta }),
      assistantMessage("Warm.", { responseMeta }),
    );
    const result = await createAgent({ model, tools: [tool] }).generate("Weather?");
    const twice = { promptTokens: 20, completionTokens: 4, totalTokens: 24, cachedTokens: 8 };
    expect(result.usage).toEqual(twice);
    expect(result.usageByModel).toEqual({ "demo/maple": twice });
  });

  it("extend each request of a run by what was logged", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], [weatherCall("2", "Nara")], "Done.");
    await createAgent({ model, tools: [tool], instructions: "Be brief." }).generate("Weather?");
    const requests = model.calls.map(({ messages }) => messages);
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1] ?? [];
      expect(request.slice(0, before.length)).toEqual(before);
    }
  });
});

describe("the prompt of an agent", () => {
  it("is a text, a message, or a list of them", async () => {
    const model = scriptedModel("a", "b", "c");
    const agent = createAgent({ model });
    await agent.generate("one");
    await agent.generate({ role: "user", content: "two" });
    await agent.generate([userMessage("three"), { role: "assistant", content: "yes?" }, userMessage("four")]);
    expect(model.calls.map(({ messages }) => messages.map(textOf))).toEqual([
      ["one"],
      ["two"],
      ["three", "yes?", "four"],
    ]);
  });

  it("brings its system message first where the agent has no instructions", async () => {
    const model = scriptedModel("a");
    await createAgent({ model }).generate([userMessage("Hi"), systemMessage("Be brief.")]);
    expect(model.calls[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const agent = createAgent({ model, instructions: "Be long." });
    expect((await failureOf(agent.generate([systemMessage("Be brief."), userMessage("Hi")]))).code).toBe(
      "INVALID_MESSAGE",
    );
  });

  it("goes on with the messages of a result", async () => {
    const model = scriptedModel("first", "second");
    const agent = createAgent({ model });
    const { messages } = await agent.generate("one");
    await agent.generate([...messages, userMessage("two")]);
    expect(model.calls[1]?.messages.map(textOf)).toEqual(["one", "first", "two"]);
  });

  it("is refused when it is none", async () => {
    const agent = createAgent({ model: scriptedModel() });
    const wrong: unknown[] = [5, null, [], [{ role: "robot", content: "x" }], { content: "x" }];
    for (const prompt of wrong) {
      expect((await failureOf(agent.generate(prompt as string))).code).toBe("INVALID_MESSAGE");
    }
  });
});

describe("functions in the options of an agent", () => {
  it("are asked once per turn, with the values of the request", async () => {
    const asked: string[] = [];
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const agent = createAgent({
      model: ({ requestContext }) => {
        asked.push(`model for ${String(requestContext.get("tier"))}`);
        return model;
      },
      instructions: async ({ requestContext }) => `Speak ${String(requestContext.get("language"))}.`,
      tools: () => [tool],
    });
    const result = await agent.generate("Weather?", { requestContext: { tier: "pro", language: "Japanese" } });
    expect(result.text).toBe("Warm.");
    expect(asked).toEqual(["model for pro"]);
    expect(textOf(model.calls[1]?.messages[0] ?? userMessage(""))).toBe("Speak Japanese.");
  });

  it("keep what they were given: the conversation as it was then", async () => {
    const given: (readonly AgenticMessage[])[] = [];
    const seen: { readonly messages: readonly AgenticMessage[] }[] = [];
    const steps: (readonly unknown[])[] = [];
    const { tool } = weatherTool();
    const agent = createAgent({
      model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."),
      tools: [tool],
      instructions: (context) => {
        seen.push(context);
        return "Be brief.";
      },
      stopWhen: (run) => {
        given.push(run.messages);
        steps.push(run.steps);
        return false;
      },
    });
    await agent.generate("Weather?");
    expect(seen.map(({ messages }) => messages)).toEqual([[userMessage("Weather?")]]);
    expect([given.map(({ length }) => length), steps.map(({ length }) => length)]).toEqual([[3], [1]]);
  });

  it("fail before the first call of a model when they return something wrong", async () => {
    const model = scriptedModel("never");
    const agent = createAgent({ model, tools: () => [{ nothing: true }] as never });
    expect((await failureOf(agent.generate("Hi"))).message).toContain("tools");
    const other = createAgent({ model: () => "gpt-5" });
    expect((await failureOf(other.generate("Hi"))).code).toBe("NO_MODEL");
    expect(model.calls).toHaveLength(0);
  });
});

describe("the graph of an agent", () => {
  it("has a node for the model and one for the tools", () => {
    const { graph } = createAgent({ name: "helper", model: scriptedModel() });
    const { nodes } = graph.graphInfo();
    expect(nodes.map(({ key, component }) => [key, component]).filter(([key]) => key !== START && key !== END)).toEqual(
      [
        ["model", "model"],
        ["tools", "tools_node"],
      ],
    );
    expect(graph.toMermaid()).toContain("tools");
  });

  it("is a node of another graph", async () => {
    const { tool } = weatherTool();
    const agent = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."), tools: [tool] });
    const app = new Graph<AgenticMessage[], string>()
      .addNode("agent", agent.graph)
      .addNode("shout", (message: AgenticMessage) => textOf(message).toUpperCase())
      .addEdge(START, "agent")
      .addEdge("agent", "shout")
      .addEdge("shout", END)
      .compile();
    expect(await app.invoke([userMessage("Weather?")])).toBe("WARM.");
  });

  it("takes messages only", async () => {
    const { graph } = createAgent({ model: scriptedModel() });
    const error = await failureOf(graph.invoke("Hi" as never));
    expect(error).toMatchObject({ code: "INVALID_MESSAGE", message: expect.stringContaining("userMessage") });
  });

  it("runs as it is", async () => {
    const agent = createAgent({ model: scriptedModel("Hi.") });
    expect(textOf(await agent.graph.invoke([userMessage("Hello")]))).toBe("Hi.");
    const chunks: string[] = [];
    const streamed = createAgent({ model: scriptedModel("Hi.") });
    for await (const chunk of streamed.graph.stream([userMessage("Hello")])) chunks.push(textOf(chunk));
    expect(chunks.join("")).toBe("Hi.");
  });
});

describe("tools of an agent", () => {
  it("get the conversation and the agent's name", async () => {
    const seen: unknown[] = [];
    const spy = createTool({
      id: "spy",
      description: "Looks.",
      inputSchema: z.object({}),
      execute: (_input, { messages, agent }) => {
        seen.push(
          messages.map(({ role }) => role),
          agent,
        );
        return "ok";
      },
    });
    const agent = createAgent({ name: "helper", model: scriptedModel([call("1", "spy")], "Done."), tools: [spy] });
    await agent.generate("Look");
    expect(seen).toEqual([["user", "assistant"], { name: "helper" }]);
  });

  it("come as a record too", async () => {
    const agent = createAgent({
      model: scriptedModel([call("1", "now")], "Noon."),
      tools: { now: { description: "The time.", execute: () => "12:00" } },
    });
    expect(resultTexts((await agent.generate("Time?")).messages)).toEqual(["12:00"]);
  });
});
