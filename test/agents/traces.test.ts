import {
  type AgenticMessage,
  componentHandlers,
  END,
  Graph,
  memoryStore,
  RunEmitter,
  type RunInfo,
  START,
  textOf,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { record } from "../otel/recorded.js";
import { call } from "./agents.js";

describe("a run of an agent, for those who watch", () => {
  it.each(["generate", "stream"] as const)("is a run of an agent, with what it takes and gives (%s)", async (way) => {
    const told: unknown[] = [];
    const watch = componentHandlers({
      agent: {
        onStart: ({ name, component }, messages) => {
          told.push([component, name, messages.map(textOf)]);
        },
        onEnd: (_info, message) => told.push(textOf(message)),
      },
      graph: { onStart: () => void told.push("a graph") },
    });
    const agent = createAgent({ name: "helper", model: scriptedModel("Hello!"), callbacks: [watch] });
    if (way === "generate") await agent.generate("Hi");
    else await agent.stream("Hi").result;
    expect(told).toEqual([["agent", "helper", ["Hi"]], "Hello!"]);
  });

  it("is told as agent:* by an emitter, and says what else there is to say", async () => {
    const emitter = new RunEmitter();
    const infos: RunInfo[] = [];
    emitter.on("agent:start", (info) => infos.push(info));
    const ended: string[] = [];
    emitter.on("agent:end", (_info, message) => ended.push(textOf(message)));
    const agent = createAgent({
      name: "helper",
      description: "Helps.",
      model: scriptedModel("Hello!"),
      store: memoryStore(),
      callbacks: [emitter],
    });
    await agent.generate("Hi", { threadId: "u-1" });
    expect(infos.map(({ meta }) => meta)).toMatchObject([{ name: "helper", description: "Helps.", threadId: "u-1" }]);
    expect(JSON.parse(JSON.stringify(infos[0]))).toMatchObject({ component: "agent", meta: { threadId: "u-1" } });
    expect(ended).toEqual(["Hello!"]);
  });

  it("is an agent where its graph is a node, under the key of the node", async () => {
    const infos: RunInfo[] = [];
    const watch = componentHandlers({ agent: { onStart: (info) => void infos.push(info) } });
    const agent = createAgent({ name: "helper", description: "Helps.", model: scriptedModel("Hello!") });
    const app = new Graph<readonly AgenticMessage[], AgenticMessage>()
      .addNode("ask", agent.graph)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ name: "app" });
    await app.invoke([userMessage("Hi")], { callbacks: [watch] });
    expect(infos).toMatchObject([{ component: "agent", name: "ask", meta: { name: "helper", description: "Helps." } }]);
    expect(app.graphInfo().nodes[0]).toMatchObject({ key: "ask", component: "agent" });
  });

  it("is a span invoke_agent, and so is an agent that it calls", async () => {
    const { handler, tree, span } = record();
    const expert = createAgent({ name: "expert", description: "Knows.", model: scriptedModel("42") });
    const model = scriptedModel([call("1", "expert", { prompt: "What?" })], "It is 42.");
    const agent = createAgent({ name: "boss", model, tools: [expert.asTool()], store: memoryStore() });
    await agent.generate("Tell me", { threadId: "u-1", callbacks: [handler] });
    expect(tree()).toEqual([
      "invoke_agent boss",
      "  chat ScriptedModel",
      "  execute_tool expert",
      "    invoke_agent expert",
      "      chat ScriptedModel",
      "  chat ScriptedModel",
    ]);
    expect(span("invoke_agent boss").attributes).toMatchObject({ "gen_ai.conversation.id": "u-1" });
    expect(span("invoke_agent expert").attributes).toMatchObject({
      "gen_ai.agent.name": "expert",
      "gen_ai.agent.description": "Knows.",
      "gen_ai.conversation.id": "u-1",
    });
  });

  it("has a run for each attempt of a model, and none for what repeats it", async () => {
    const models: [string, string, string][] = [];
    const watch = componentHandlers({
      model: { onStart: ({ name, type, address }) => void models.push([name, type, address]) },
    });
    const broken = new Error("x");
    const agent = createAgent({
      name: "helper",
      retry: { attempts: 2, delayMs: 0, retryOn: () => true },
      fallbacks: [scriptedModel("hi")],
      model: scriptedModel(broken, broken),
      callbacks: [watch],
    });
    await agent.generate("Hi");
    const at = "runnable:helper;node:model;runnable:";
    expect(models).toEqual([
      ["attempt", "ScriptedModel", `${at}attempt:model 1 attempt 1`],
      ["attempt", "ScriptedModel", `${at}attempt:model 1 attempt 2`],
      ["attempt", "ScriptedModel", `${at}attempt:model 2 attempt 1`],
    ]);
  });
});

describe("model options of a run", () => {
  it("reach the model through the graph of an agent, also where that is a node", async () => {
    const model = scriptedModel("a", "b", "c", "d");
    const agent = createAgent({ name: "helper", model, modelOptions: { temperature: 0.1, maxOutputTokens: 5 } });
    const app = new Graph<readonly AgenticMessage[], AgenticMessage>()
      .addNode("ask", agent.graph)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    const input = [userMessage("Hi")];
    await agent.graph.invoke(input, { options: { model: { temperature: 0.9 } } });
    await agent.graph.invoke(input, { nodes: { model: { options: { temperature: 0.8 } } } });
    await app.invoke(input, { options: { model: { temperature: 0.7 } } });
    await agent.generate("Hi", { options: { model: { temperature: 0.6 } }, modelOptions: { maxOutputTokens: 9 } });
    expect(model.calls.map(({ options }) => [options.temperature, options.maxOutputTokens])).toEqual([
      [0.9, 5],
      [0.8, 5],
      [0.7, 5],
      [0.6, 9],
    ]);
    expect(model.calls.every(({ options }) => !("call" in options))).toBe(true);
  });

  it("are refused where they are for something that an agent does not have", async () => {
    const agent = createAgent({ name: "helper", model: scriptedModel("a") });
    await expect(agent.graph.invoke([userMessage("Hi")], { options: { lambda: {} } })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });
});
