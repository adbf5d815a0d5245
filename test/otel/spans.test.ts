import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import {
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  lambda,
  memoryStore,
  type RunInfo,
  Runtime,
  runnable,
  StreamReader,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { fallbackModel, retryModel } from "kumiko/models";
import { assistantGenText } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentLoop, answer, getWeather, named, toolCall } from "./programs.js";
import { record } from "./recorded.js";

const question = [userMessage("How warm is it in Kyoto?")];

describe("an agent's loop", () => {
  it.each(["invoke", "stream"] as const)("is a tree of spans (%s)", async (mode) => {
    const { handler, tree, span } = record();
    const loop = agentLoop();
    if (mode === "invoke") await loop.invoke(question, { callbacks: [handler] });
    else await loop.stream(question, { callbacks: [handler] }).concat();
    expect(tree()).toEqual(["invoke_workflow weather", "  chat gpt-5", "  execute_tool get_weather", "  chat gpt-5"]);
    expect(span("invoke_workflow weather").attributes).toEqual({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "weather",
      "gen_ai.usage.input_tokens": 60,
      "gen_ai.usage.output_tokens": 12,
    });
    expect(span("execute_tool get_weather")).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1",
      },
    });
  });

  it("has spans for every node, when asked", async () => {
    const { handler, tree } = record({ allNodes: true });
    await agentLoop().invoke(question, { callbacks: [handler] });
    expect(tree()).toEqual([
      "invoke_workflow weather",
      "  chat gpt-5",
      "  tools_node tools",
      "    execute_tool get_weather",
      "  chat gpt-5",
    ]);
  });
});

describe("the span of an answer", () => {
  it("says what was asked and what came", async () => {
    const { handler, span } = record();
    const usage = {
      promptTokens: 10,
      completionTokens: 5,
      totalTokens: 15,
      cachedTokens: 4,
      cacheWriteTokens: 1,
      reasoningTokens: 2,
    };
    const reply = answer("Hello");
    const model = named(scriptedModel({ ...reply, responseMeta: { ...reply.responseMeta, tokenUsage: usage } }));
    const options = {
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      maxOutputTokens: 100,
      seed: 7,
      stop: ["END"],
      responseFormat: { type: "json" as const },
    };
    await runnable(model).invoke(question, { callbacks: [handler], options: { model: options } });
    expect(span("chat gpt-5")).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(span("chat gpt-5").attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.top_p": 0.9,
      "gen_ai.request.top_k": 3,
      "gen_ai.request.max_tokens": 100,
      "gen_ai.request.seed": 7,
      "gen_ai.request.stop_sequences": ["END"],
      "gen_ai.output.type": "json",
      "gen_ai.response.id": "resp_1",
      "gen_ai.response.model": "gpt-5-2026",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.cache_creation.input_tokens": 1,
      "gen_ai.usage.reasoning.output_tokens": 2,
    });
  });

  it("says when a streamed answer began, and ends with its stream", async () => {
    const { handler, spans, span } = record();
    const pieces = ["Hel", "lo"].map((text) =>
      assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })),
    );
    const reader = runnable(named(scriptedModel([...pieces, answer([])]))).stream(question, { callbacks: [handler] });
    const iterator = reader[Symbol.asyncIterator]();
    await iterator.next();
    expect(spans()).toEqual([]);
    while (!(await iterator.next()).done);
    await new Promise(setImmediate);
    expect(span("chat gpt-5").attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "gen_ai.usage.input_tokens": 10,
    });
  });

  it.each([
    ["anthropic.messages/claude-x", "anthropic", "claude-x"],
    ["google.generative-ai/gemini-x", "gcp.gemini", "gemini-x"],
    ["google.vertex.chat/gemini-x", "gcp.vertex_ai", "gemini-x"],
    ["xai.chat/grok-x", "x_ai", "grok-x"],
    ["amazon-bedrock/us.model-v1:0", "aws.bedrock", "us.model-v1:0"],
    ["openrouter/openai/gpt-5", "openrouter", "openai/gpt-5"],
    ["Echo", "Echo", "Echo"],
  ])("names the provider and the model of %s", async (type, provider, model) => {
    const { handler, span } = record();
    await runnable(named(scriptedModel(answer("Hi")), type)).invoke(question, { callbacks: [handler] });
    expect(span(`chat ${model}`).attributes).toMatchObject({
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    });
  });

  it("belongs to one attempt; what only asks again has none", async () => {
    const { handler, tree, spans } = record();
    const busy = new Error("Slow down.");
    const first = named(scriptedModel(busy, busy), "openai/a");
    const second = named(scriptedModel(answer("Hi")), "openai/b");
    const retried = retryModel(first, { attempts: 2, delayMs: 0, retryOn: () => true });
    const chain = new Chain<typeof question>()
      .appendModel(fallbackModel([retried, second]))
      .compile({ name: "steady" });
    await chain.invoke(question, { callbacks: [handler] });
    expect(tree()).toEqual(["invoke_workflow steady", "  chat a", "  chat a", "  chat b"]);
    const root = spans().at(-1);
    expect(root?.attributes).toMatchObject({ "gen_ai.usage.input_tokens": 10 });
    expect(
      root?.events.map(({ name, attributes }) => [
        name,
        attributes?.["kumiko.attempt"] ?? attributes?.["kumiko.model"],
      ]),
    ).toEqual([
      ["retry", 1],
      ["fallback", 2],
    ]);
  });

  it("counts the tokens of an answer once, when a model of yours calls another one", async () => {
    const { handler, span, metrics } = record();
    const inner = runnable(named(scriptedModel(answer("Hi")), "openai/inner"));
    const outer: AgenticModel = {
      component: "model",
      type: "mine/outer",
      generate: (messages, ctx) => inner.invoke(messages, { parent: ctx }),
      stream: (messages, ctx) => inner.stream(messages, { parent: ctx }),
    };
    const chain = new Chain<typeof question>().appendModel(outer).compile({ name: "app" });
    await chain.stream(question, { callbacks: [handler] }).concat();
    await new Promise(setImmediate);
    expect(span("invoke_workflow app").attributes["gen_ai.usage.input_tokens"]).toBe(10);
    expect(span("chat outer").attributes).not.toHaveProperty("gen_ai.usage.input_tokens");
    expect((await metrics())["gen_ai.client.token.usage"]?.map(({ value }) => value.count)).toEqual([1, 1]);
  });
});

describe("a run that does not come to its end", () => {
  it("that fails has an error status, and the word of what failed in it", async () => {
    const { handler, span } = record({ content: true });
    const broken = createTool({
      id: "broken",
      description: "Fails.",
      execute: () => {
        throw new TypeError("out of order");
      },
    });
    const chain = new Chain<ReturnType<typeof answer>>()
      .appendToolsNode(new AgenticToolsNode([broken]))
      .compile({ name: "app" });
    const call = assistantMessage({ ...toolCall, name: "broken" });
    await expect(chain.invoke(call, { callbacks: [handler] })).rejects.toThrow("out of order");
    for (const name of ["execute_tool broken", "invoke_workflow app"]) {
      expect(span(name).status.code).toBe(SpanStatusCode.ERROR);
      expect(span(name).status.message).toContain("out of order");
    }
    expect(span("execute_tool broken").attributes["error.type"]).toBe("TypeError");
  });

  it("that fails in the middle of an answer ends every span once", async () => {
    const { handler, tree, span } = record();
    async function* cut() {
      yield assistantMessage("Hel");
      throw new RangeError("cut");
    }
    const chain = new Chain<typeof question>().appendModel(named(scriptedModel(cut()))).compile({ name: "app" });
    await expect(chain.stream(question, { callbacks: [handler] }).concat()).rejects.toThrow("cut");
    await new Promise(setImmediate);
    expect(tree()).toEqual(["invoke_workflow app", "  chat gpt-5"]);
    expect(span("chat gpt-5").attributes["error.type"]).toBe("RangeError");
    expect(span("chat gpt-5").attributes["gen_ai.request.stream"]).toBe(true);
  });

  it("that is left early has the error of an abort", async () => {
    const { handler, span } = record();
    async function* endless() {
      for (;;) yield assistantMessage("a");
    }
    const chain = new Chain<typeof question>().appendModel(named(scriptedModel(endless()))).compile({ name: "app" });
    for await (const _chunk of chain.stream(question, { callbacks: [handler] })) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(span("invoke_workflow app").attributes["error.type"]).toBe("AbortError");
    expect(span("chat gpt-5").status.code).toBe(SpanStatusCode.ERROR);
  });

  it("that waits has an event and no status; its resume is a trace of its own", async () => {
    const { handler, spans } = record();
    const pay = createTool({ id: "pay", description: "Pays.", requireApproval: true, execute: () => "paid" });
    const chain = new Chain<ReturnType<typeof answer>>()
      .appendToolsNode(new AgenticToolsNode([pay]))
      .compile({ name: "app", store: memoryStore() });
    const call = assistantMessage({ ...toolCall, name: "pay" });
    const stopped = await chain
      .invoke(call, { callbacks: [handler], checkpointId: "1" })
      .catch((error: unknown) => error);
    const [interrupt] = (stopped as { interrupts: { id: string; address: string }[] }).interrupts;
    const root = spans().find(({ name }) => name === "invoke_workflow app");
    expect(root?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(root?.events).toMatchObject([
      {
        name: "interrupt",
        attributes: {
          "kumiko.interrupt.id": interrupt?.id,
          "kumiko.interrupt.address": interrupt?.address,
          "kumiko.interrupt.kind": "tool_approval",
        },
      },
    ]);
    await chain.resume("1", { [interrupt?.id ?? ""]: { approved: true } }, { callbacks: [handler] });
    const roots = spans().filter(({ name }) => name === "invoke_workflow app");
    expect(new Set(roots.map((span) => span.spanContext().traceId)).size).toBe(2);
    expect(spans().at(-2)?.name).toBe("execute_tool pay");
  });
});

describe("where spans hang", () => {
  beforeEach(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterEach(() => context.disable());

  it("is below the active span of the caller", async () => {
    const provider = new BasicTracerProvider();
    const outer = provider.getTracer("caller").startSpan("request");
    const { handler, span } = record();
    await context.with(trace.setSpan(context.active(), outer), () =>
      agentLoop().invoke(question, { callbacks: [handler] }),
    );
    expect(span("invoke_workflow weather").parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it("is below what was active where the stream of an agent was asked for, wherever it is read", async () => {
    const provider = new BasicTracerProvider();
    const { handler, spans } = record();
    const model = scriptedModel("One.", "Two.", "Three.");
    const agent = createAgent({ name: "helper", model, callbacks: [handler] });
    const plain = createAgent({ name: "helper", model });
    const withRuntime = createAgent({ name: "helper", model, runtime: new Runtime({ callbacks: [handler] }) });
    const askers = [
      () => agent.stream("Hi"),
      () => plain.stream("Hi", { callbacks: [handler] }),
      () => withRuntime.stream("Hi"),
    ];
    const parents = askers.map((ask) => {
      const outer = provider.getTracer("caller").startSpan("request");
      return { outer, stream: context.with(trace.setSpan(context.active(), outer), ask) };
    });
    for (const { stream } of parents) for await (const _ of stream);
    const roots = spans().filter(({ name }) => name === "invoke_agent helper");
    expect(roots.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      parents.map(({ outer }) => outer.spanContext().spanId),
    );
  });

  it("is below what was active where the stream of a graph was asked for, in every way to ask", async () => {
    const provider = new BasicTracerProvider();
    const { handler, spans } = record();
    const callbacks = [handler];
    const echo = () => new Chain<string>().append(async (text, ctx) => text + (await ctx.ask<string>("more", "?")));
    const store = memoryStore();
    const graph = echo().compile({ name: "echo", store });
    const compiled = echo().compile({ name: "echo", store, callbacks });
    const withRuntime = echo().compile({ name: "echo", store, runtime: new Runtime({ callbacks }) });
    for (const checkpointId of ["a", "b"]) await graph.invoke("Hi", { checkpointId }).catch(() => undefined);
    const askers: readonly (() => StreamReader<string>)[] = [
      () => graph.stream("Hi", { callbacks }),
      () => graph.transform(StreamReader.from(["Hi"]), { callbacks }),
      () => graph.stream("Hi", { callbacks, checkpointId: "c" }),
      () => graph.resumeStream("a", undefined, { callbacks }),
      () => compiled.stream("Hi"),
      () => withRuntime.resumeStream("b"),
    ];
    const parents = askers.map((ask) => {
      const outer = provider.getTracer("caller").startSpan("request");
      return { outer, stream: context.with(trace.setSpan(context.active(), outer), ask) };
    });
    for (const { stream } of parents) await expect(stream.concat()).rejects.toMatchObject({ code: "INTERRUPTED" });
    const roots = spans().filter(({ name }) => name === "invoke_workflow echo");
    expect(roots.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      parents.map(({ outer }) => outer.spanContext().spanId),
    );
  });

  it("is below the run that calls, for child runs and runs side by side", async () => {
    const { handler, tree } = record();
    const inner = (name: string) => new Chain<string>().append(async (text) => text).compile({ name });
    const [a, b] = [inner("a"), inner("b")];
    const outer = new Chain<string>()
      .append(
        lambda({
          invoke: async (text: string, ctx) =>
            (await Promise.all([a.invoke(text, { parent: ctx }), b.invoke(text, { parent: ctx })])).join(),
        }),
      )
      .compile({ name: "outer" });
    await Promise.all([outer.invoke("x", { callbacks: [handler] }), outer.invoke("y", { callbacks: [handler] })]);
    const one = ["invoke_workflow outer", "  invoke_workflow a", "  invoke_workflow b"];
    expect(tree()).toEqual([...one, ...one]);
  });
});

describe("other components", () => {
  it("have spans: embedders and retrievers", async () => {
    const { handler, span } = record({ content: true });
    const embedder = { component: "embedder", type: "openai.embedding/small", embed: async () => [[1, 2, 3]] } as const;
    const retriever = { component: "retriever", retrieve: async () => [] } as const;
    await runnable(embedder).invoke(["a"], { callbacks: [handler] });
    await runnable(retriever, { name: "wiki" }).invoke("maple", { callbacks: [handler] });
    expect(span("embeddings small")).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.embeddings.dimension.count": 3,
      },
    });
    expect(span("retrieval").attributes).toEqual({
      "gen_ai.operation.name": "retrieval",
      "gen_ai.data_source.id": "wiki",
      "gen_ai.retrieval.query.text": "maple",
    });
  });
});

describe("a run of an agent", () => {
  it("has the name, description and thread of the agent; what runs inside belongs to the same conversation", () => {
    const { handler, span, tree } = record({ content: true });
    const base = { parentRunId: undefined, type: "", address: "" };
    const meta = { threadId: "u-1", description: "Knows the weather." };
    const agent = { ...base, runId: "1", name: "weather", component: "agent", meta } as object as RunInfo;
    const chat: RunInfo = { ...base, runId: "2", name: "model", component: "model", type: "openai/gpt-5" };
    const run = handler.onStart?.(agent, question, undefined);
    const model = handler.onStart?.(chat, { messages: question, options: {} }, run);
    handler.onEnd?.(chat, { message: answer("Warm.") }, model);
    handler.onEnd?.(agent, answer("Warm."), run);
    expect(tree()).toEqual(["invoke_agent weather", "  chat gpt-5"]);
    expect(span("invoke_agent weather").attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "weather",
      "gen_ai.agent.description": "Knows the weather.",
      "gen_ai.conversation.id": "u-1",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.input.messages": expect.stringContaining("How warm is it in Kyoto?"),
      "gen_ai.output.messages": expect.stringContaining("Warm."),
    });
    expect(span("chat gpt-5").attributes["gen_ai.conversation.id"]).toBe("u-1");
  });
});

describe("content", () => {
  const run = async (options: Parameters<typeof record>[0]) => {
    const recorded = record(options);
    await agentLoop().invoke(question, { callbacks: [recorded.handler] });
    const [chat] = recorded.spans();
    return { chat: chat?.attributes ?? {}, tool: recorded.span("execute_tool get_weather").attributes };
  };

  it("is not sent", async () => {
    const { chat, tool } = await run({});
    const names = [...Object.keys(chat), ...Object.keys(tool)];
    expect(names.filter((name) => /messages|instructions|definitions|arguments|result/.test(name))).toEqual([]);
    expect(JSON.stringify([chat, tool])).not.toContain("Kyoto");
  });

  it("is sent when it should be, in the form of the conventions", async () => {
    const { chat, tool } = await run({ content: true });
    const json = (name: string): unknown => JSON.parse(String(chat[name]));
    expect(json("gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: "How warm is it in Kyoto?" }] },
    ]);
    expect(json("gen_ai.output.messages")).toEqual([
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "call_1", name: "get_weather", arguments: { city: "Kyoto" } }],
        finish_reason: "stop",
      },
    ]);
    expect(json("gen_ai.tool.definitions")).toMatchObject([
      {
        type: "function",
        name: "get_weather",
        description: getWeather.info.description,
        parameters: { type: "object" },
      },
    ]);
    expect(tool).toMatchObject({
      "gen_ai.tool.call.arguments": '{"city":"Kyoto"}',
      "gen_ai.tool.call.result": "21 degrees in Kyoto",
    });
  });

  it("goes through a function that may change it or leave it out", async () => {
    const { chat, tool } = await run({
      content: (value, attribute) =>
        attribute === "gen_ai.input.messages" ? undefined : JSON.stringify(value).replaceAll("Kyoto", "a city"),
    });
    expect(chat).not.toHaveProperty(["gen_ai.input.messages"]);
    expect(tool["gen_ai.tool.call.result"]).toBe('"21 degrees in a city"');
    expect(JSON.stringify([chat, tool])).not.toContain("Kyoto");
  });

  it("is left out where that function throws", async () => {
    const { chat, tool } = await run({
      content: () => {
        throw new Error("cannot redact");
      },
    });
    expect(JSON.stringify([chat, tool])).not.toContain("Kyoto");
    expect(chat["gen_ai.usage.input_tokens"]).toBe(20);
  });
});

describe("costs", () => {
  it("stand on answers and runs, when every price is known", async () => {
    const prices = { "openai/gpt-5": { input: 1, output: 10 } };
    const { handler, span, spans } = record({ prices });
    await agentLoop().invoke(question, { callbacks: [handler] });
    expect(spans()[0]?.attributes["gen_ai.usage.cost"]).toBeCloseTo(0.0001);
    expect(span("invoke_workflow weather").attributes["gen_ai.usage.cost"]).toBeCloseTo(0.00018);
  });

  it("are left out where a price is missing", async () => {
    const { handler, span } = record({ prices: { "openai/gpt-4": { input: 1, output: 1 } } });
    await agentLoop().invoke(question, { callbacks: [handler] });
    expect(span("invoke_workflow weather").attributes).not.toHaveProperty(["gen_ai.usage.cost"]);
  });
});
