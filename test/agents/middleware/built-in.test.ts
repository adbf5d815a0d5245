import { type AgenticMessage, assistantMessage, memoryStore, textOf, userMessage } from "kumiko";
import {
  clearToolResults,
  createAgent,
  promptCache,
  subAgents,
  summarize,
  todoList,
  trimMessages,
} from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, canBeSent, eventsOf, resultTexts, weatherCall, weatherTool } from "../agents.js";

const long = (word: string) => word.repeat(400);
const talk = (turns: number): AgenticMessage[] =>
  Array.from({ length: turns }, (_, n) => [userMessage(long(`q${n}`)), assistantMessage(long(`a${n}`))]).flat();

describe("trimMessages", () => {
  it("leaves out the oldest turns, and never begins with anything but the user", async () => {
    const model = scriptedModel("ok");
    const agent = createAgent({ model, middleware: [trimMessages({ maxTokens: 500 })] });
    const result = await agent.generate([...talk(4), userMessage("now")]);
    const [request] = model.calls;
    expect(request?.messages[0]?.role).toBe("user");
    expect(request?.messages.length).toBeLessThan(9);
    expect(textOf(request?.messages.at(-1) ?? userMessage(""))).toBe("now");
    expect(result.messages).toHaveLength(10);
  });

  it("cuts between rounds of one long turn", async () => {
    const { tool } = weatherTool();
    const calls = ["A", "B", "C", "D"].map((city) => [weatherCall(city, long(city))]);
    const model = scriptedModel(...calls, "Done.");
    const agent = createAgent({ model, tools: [tool], middleware: [trimMessages({ maxTokens: 700 })] });
    await agent.generate("Go");
    for (const { messages } of model.calls) {
      expect(canBeSent(messages)).toBe(true);
      expect(textOf(messages[0] ?? userMessage(""))).toBe("Go");
    }
    expect(model.calls.at(-1)?.messages.length).toBeLessThan(9);
  });
});

describe("clearToolResults", () => {
  it("clears all but the last rounds, and what is excluded", async () => {
    const { tool } = weatherTool();
    const calls = ["A", "B", "C"].map((city) => [weatherCall(city, long(city))]);
    const model = scriptedModel(...calls, "Done.");
    const middleware = clearToolResults({ atTokens: 100, keepRounds: 1 });
    const result = await createAgent({ model, tools: [tool], middleware: [middleware] }).generate("Go");
    const seen = resultTexts(model.calls.at(-1)?.messages ?? []);
    expect(seen.map((text) => text.startsWith("[This result was cleared"))).toEqual([true, true, false]);
    expect(resultTexts(result.messages)[0]).toContain("AAA");
  });
});

describe("summarize", () => {
  it("replaces the beginning, keeps the log, and counts what it used", async () => {
    const usage = { promptTokens: 5, completionTokens: 1, totalTokens: 6 };
    const writer = scriptedModel(assistantMessage("They greeted.", { responseMeta: { tokenUsage: usage } }));
    const model = scriptedModel("ok");
    const agent = createAgent({ model, middleware: [summarize({ model: writer, atTokens: 300, keepTurns: 1 })] });
    const result = await agent.generate([...talk(3), userMessage("now")]);
    const seen = model.calls[0]?.messages ?? [];
    expect(seen).toHaveLength(2);
    expect(textOf(seen[0] ?? userMessage(""))).toContain("They greeted.");
    expect(result.messages).toHaveLength(8);
    expect(result.usage.totalTokens).toBe(6);
  });

  it("is kept with the thread", async () => {
    const writer = scriptedModel("Summary.");
    const model = scriptedModel("ok", "ok again");
    const store = memoryStore();
    const middleware = [summarize({ model: writer, atTokens: 1_000, keepTurns: 1 })];
    const agent = createAgent({ model, store, middleware });
    await agent.generate([...talk(3), userMessage("now")], { threadId: "t" });
    await agent.generate("and now?", { threadId: "t" });
    expect(writer.calls).toHaveLength(1);
    expect(textOf(model.calls[1]?.messages[0] ?? userMessage(""))).toContain("Summary.");
    expect(model.calls[1]?.messages.map(textOf).slice(1)).toEqual(["now", "ok", "and now?"]);
  });

  it("goes on without a summary that fails", async () => {
    const model = scriptedModel("ok");
    const writer = scriptedModel(new Error("down"));
    const agent = createAgent({ model, middleware: [summarize({ model: writer, atTokens: 300, keepTurns: 1 })] });
    expect((await agent.generate([...talk(3), userMessage("now")])).text).toBe("ok");
    expect(model.calls[0]?.messages).toHaveLength(7);
  });
});

describe("promptCache", () => {
  it("marks the end of the instructions and the last message", async () => {
    const model = scriptedModel("ok");
    const agent = createAgent({ model, instructions: "Be brief.", middleware: [promptCache()] });
    const result = await agent.generate([userMessage("a"), assistantMessage("b"), userMessage("c")]);
    const marked = model.calls[0]?.messages.map(({ extra }) => extra !== undefined);
    expect(marked).toEqual([true, false, false, true]);
    expect(model.calls[0]?.messages[0]?.extra).toMatchObject({
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    });
    expect(result.messages.every(({ extra }) => extra === undefined)).toBe(true);
  });
});

describe("todoList", () => {
  it("keeps the list in its state", async () => {
    const todos = [
      { content: "read", status: "completed" },
      { content: "write", status: "pending" },
    ];
    const model = scriptedModel([call("1", "write_todos", { todos })], "Planned.");
    const list = todoList();
    const store = memoryStore();
    const agent = createAgent({ model, store, middleware: [list] });
    const result = await agent.generate("Plan", { threadId: "t" });
    expect(resultTexts(result.messages)).toEqual(["The list has 2 items, 1 of them open."]);
    const stored = await store.get("~thread/t/00000001");
    expect(JSON.parse(new TextDecoder().decode(stored?.data)).kept).toEqual({ todoList: { todos } });
  });
});

describe("subAgents", () => {
  it("give a task a fresh history, and the caller its answer", async () => {
    const inner = scriptedModel("42");
    const researcher = createAgent({ name: "researcher", description: "Finds things.", model: inner });
    const model = scriptedModel([call("1", "task", { agent: "researcher", prompt: "Find it" })], "It is 42.");
    const agent = createAgent({ name: "boss", model, middleware: [subAgents({ agents: [researcher] })] });
    const stream = agent.stream("What is it?");
    const events = await eventsOf(stream);
    expect((await stream.result).text).toBe("It is 42.");
    expect(inner.calls[0]?.messages.map(textOf)).toEqual(["Find it"]);
    const told = events.find((event) => event.type === "text_delta" && event.delta === "42");
    expect(told).toMatchObject({ agentPath: ["boss", "researcher"], parentCallId: "1" });
  });

  it("do not nest deeper than they may", async () => {
    const leaf = createAgent({ name: "leaf", description: "Works.", model: scriptedModel("done") });
    const middleModel = scriptedModel([call("1", "task", { agent: "leaf", prompt: "x" })], "did it myself");
    const middle = createAgent({
      name: "middle",
      description: "Delegates.",
      model: middleModel,
      middleware: [subAgents({ agents: [leaf] })],
    });
    const model = scriptedModel([call("1", "task", { agent: "middle", prompt: "x" })], "ok");
    await createAgent({ name: "top", model, middleware: [subAgents({ agents: [middle] })] }).generate("Go");
    expect(resultTexts(middleModel.calls[1]?.messages ?? [])[0]).toContain("deep");
  });
});
