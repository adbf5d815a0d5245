import { type AgenticModel, memoryStore } from "kumiko";
import {
  type Agent,
  type AgentFork,
  type AgentResult,
  type AgentStream,
  createAgent,
  createMiddleware,
  type ThreadInfo,
  threads,
} from "kumiko/agents";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

declare const model: AgenticModel;

describe("the output of an agent", () => {
  it("is a string without a schema", () => {
    expectTypeOf(createAgent({ model })).toEqualTypeOf<Agent<string>>();
    expectTypeOf(createAgent({ model }).generate("Hi")).resolves.toEqualTypeOf<AgentResult<string>>();
  });

  it("is what its schema gives", () => {
    const agent = createAgent({ model, output: z.object({ city: z.string() }) });
    expectTypeOf(agent).toEqualTypeOf<Agent<{ city: string }>>();
    expectTypeOf(agent.stream("Hi")).toEqualTypeOf<AgentStream<{ city: string }>>();
  });

  it("is unknown with a plain JSON Schema", () => {
    expectTypeOf(createAgent({ model, output: { type: "object" } })).toEqualTypeOf<Agent<unknown>>();
  });
});

describe("the history of an agent", () => {
  it("is forked into what can be resumed", async () => {
    const agent = createAgent({ model, store: memoryStore(), history: { last: 10 } });
    const fork = await agent.fork({ threadId: "u" }, { turn: 1, entry: "3" });
    expectTypeOf(fork).toEqualTypeOf<AgentFork>();
    expectTypeOf(agent.resume(fork)).resolves.toEqualTypeOf<AgentResult<string>>();
    expectTypeOf(threads(memoryStore()).fork("u", { turn: 1 })).resolves.toBeString();
    // @ts-expect-error entries are named by strings
    agent.fork("run", { entry: 3 });
    // @ts-expect-error a limit of another name
    createAgent({ model, history: { limit: 10 } });
  });
});

describe("a user", () => {
  it("is a string that is there, or is left out", () => {
    const agent = createAgent({ model, store: memoryStore() });
    const found = undefined as string | undefined;
    agent.generate("Hi", { threadId: "t", userId: "ann" });
    agent.generate("Hi", { threadId: "t", requestId: found });
    // @ts-expect-error a login that failed opens nothing
    agent.generate("Hi", { threadId: "t", userId: found });
    // @ts-expect-error
    agent.resume({ threadId: "t" }, {}, { userId: found });
    // @ts-expect-error
    threads(memoryStore(), { userId: found });
    // @ts-expect-error
    threads(memoryStore()).list({ userId: found });
    // @ts-expect-error only threads that wait can be asked for
    threads(memoryStore()).list({ waiting: false });
    // @ts-expect-error an age is needed
    threads(memoryStore()).sweep({ waitingMs: 5 });
    expectTypeOf(threads(memoryStore()).info("t")).resolves.toEqualTypeOf<ThreadInfo | undefined>();
    createAgent({ model, instructions: ({ userId, turn }) => `${userId?.length} ${turn?.toFixed()}` });
    createAgent({ model, countTokens: async (messages) => messages.length });
    createMiddleware({ name: "m", beforeStep: () => ({ addInstructions: "x", hideTools: ["a"] }) });
    // @ts-expect-error a list of names
    createMiddleware({ name: "m", beforeStep: () => ({ hideTools: "a" }) });
  });
});

describe("a result", () => {
  it("has questions exactly when it waits", () => {
    const result = {} as AgentResult;
    if (result.finishReason === "waiting") expectTypeOf(result.interrupts[0].id).toBeString();
    else expectTypeOf(result.interrupts).toEqualTypeOf<readonly []>();
  });
});

describe("a middleware", () => {
  it("knows its state, and fits any agent", () => {
    const counter = createMiddleware({
      name: "counter",
      state: () => ({ calls: 0 }),
      beforeStep: (run) => {
        expectTypeOf(run.state).toEqualTypeOf<{ calls: number }>();
      },
    });
    createAgent({ model, middleware: [counter, createMiddleware({ name: "plain" })] });
    // @ts-expect-error a model is needed
    createAgent({ middleware: [counter] });
    // @ts-expect-error a hook of another name
    createMiddleware({ name: "x", onStep: () => undefined });
  });
});

describe("the options of models", () => {
  it("are those that all models have, but for those that the agent sets itself", () => {
    const agent = createAgent({ model, modelOptions: { temperature: 0, maxOutputTokens: 5 } });
    const providerOptions = { openai: { serviceTier: "flex" } };
    expectTypeOf(agent.generate).toBeCallableWith("Hi", { modelOptions: { seed: 1, providerOptions } });
    // @ts-expect-error an option of another name
    createAgent({ model, modelOptions: { maxTokens: 5 } });
    // @ts-expect-error tools are an option of the agent
    createAgent({ model, modelOptions: { tools: [] } });
    // @ts-expect-error the format of the answer is the output of the agent
    void agent.generate("Hi", { modelOptions: { responseFormat: { type: "text" } } });
  });
});

describe("agents that hand over to each other", () => {
  it("are given as functions", () => {
    const a: Agent = createAgent({ name: "a", model, handoffs: () => [b] });
    const b: Agent = createAgent({ name: "b", model, handoffs: () => [a] });
    expectTypeOf(b.graph.invoke).toBeFunction();
  });
});
