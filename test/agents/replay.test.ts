import { assistantMessage, createTool, END, Graph, memoryStore, START, textOf, traceRecorder } from "kumiko";
import { createAgent, createMiddleware, summarize } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf, failureOf } from "./agents.js";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const responseMeta = { tokenUsage: usage, model: "demo/m" };
const answer = (content: Parameters<typeof assistantMessage>[0]) => assistantMessage(content, { responseMeta });
const busy = Object.assign(new Error("busy"), { isRetryable: true });

/** Asks before an answer is accepted. */
const review = createMiddleware({
  name: "review",
  afterModel: async (message, { ctx }) => {
    await ctx.ask(`ok ${textOf(message)}`, "Is it good?");
  },
});

describe("a model node that is entered again", () => {
  it.each(["generate", "stream"] as const)("does not ask the model again (%s)", async (way) => {
    const model = scriptedModel(busy, answer("Draft."));
    const agent = createAgent({ model, store: memoryStore(), middleware: [review], retry: { delayMs: 0 } });
    const held = way === "generate" ? await agent.generate("Write") : await agent.stream("Write").result;
    expect(held.finishReason).toBe("waiting");
    const trace = traceRecorder();
    const answers = { [held.interrupts[0]?.id ?? ""]: true };
    const done =
      way === "generate"
        ? await agent.resume(held, answers, { callbacks: [trace] })
        : await agent.resumeStream(held, answers, { callbacks: [trace] }).result;
    expect(done.text).toBe("Draft.");
    expect(model.calls).toHaveLength(2);
    expect(done.usage.totalTokens).toBe(2);
    expect(JSON.stringify(trace.toJSON().runs)).not.toContain("ScriptedModel");
  });

  it("replays answers that did not fit with the one that did, and tells of what is new only", async () => {
    const model = scriptedModel(answer("no JSON"), answer('{"n":1}'));
    const agent = createAgent({
      model,
      store: memoryStore(),
      middleware: [review],
      output: z.object({ n: z.number() }),
    });
    const first = await agent.generate("Count");
    const second = await agent.resume(first, { [first.interrupts[0]?.id ?? ""]: true });
    expect(second.finishReason).toBe("waiting");
    expect(model.calls).toHaveLength(2);
    const stream = agent.resumeStream(second, { [second.interrupts[0]?.id ?? ""]: true });
    const events = await eventsOf(stream);
    const done = await stream.result;
    expect(events.map(({ type }) => type)).toEqual(["start", "message", "step_finish", "finish"]);
    expect(done.output).toEqual({ n: 1 });
    expect(done.usage.totalTokens).toBe(4);
    expect(done.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(model.calls).toHaveLength(2);
  });

  it("replays several answers that did not fit, each once", async () => {
    const model = scriptedModel(answer("no A"), answer("no B"), answer('{"n":1}'));
    const agent = createAgent({
      model,
      store: memoryStore(),
      middleware: [review],
      output: z.object({ n: z.number() }),
      outputRepairs: 2,
    });
    let result = await agent.generate("Count");
    for (let reviews = 0; reviews < 3; reviews++) {
      result = await agent.resume(result, { [result.interrupts[0]?.id ?? ""]: true });
    }
    expect(result.output).toEqual({ n: 1 });
    expect(result.usage.totalTokens).toBe(6);
    expect(model.calls).toHaveLength(3);
  });

  it("asks anew where an output did not fit for the last time, and counts both", async () => {
    const model = scriptedModel(answer("no"), answer("no"), answer('{"n":1}'));
    const agent = createAgent({ model, store: memoryStore(), output: z.object({ n: z.number() }) });
    const error = await failureOf(agent.generate("Count", { threadId: "t" }));
    expect(error.code).toBe("INVALID_OUTPUT");
    const done = await agent.resume({ threadId: "t" });
    expect(done.output).toEqual({ n: 1 });
    expect(done.usage.totalTokens).toBe(6);
    expect(done.messages.map(textOf)).toEqual(["Count", '{"n":1}']);
  });

  it("keeps what stands inside of a middleware that asks around a call", async () => {
    const seen: string[] = [];
    const guard = createMiddleware({
      name: "guard",
      async wrapModelCall(_request, next, { ctx }) {
        const message = await next().message();
        seen.push(textOf(message));
        if ((await ctx.ask("again", textOf(message))) === true) return next();
        return message;
      },
    });
    const model = scriptedModel(answer("one"), answer("two"));
    const agent = createAgent({ model, store: memoryStore(), middleware: [guard] });
    const held = await agent.generate("Write");
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: true });
    expect(seen).toEqual(["one", "one"]);
    expect(done).toMatchObject({ text: "two", usage: { totalTokens: 4 } });
    expect(model.calls).toHaveLength(2);
  });

  it("begins with the view that it had, and does not summarise again", async () => {
    const summaries = scriptedModel(answer("They talked."), answer("They talked again."));
    const model = scriptedModel(answer("Draft."));
    const agent = createAgent({
      model,
      store: memoryStore(),
      middleware: [summarize({ model: summaries, atTokens: 10, keepTurns: 1 }), review],
    });
    const before = [
      { role: "user", content: "A long question about nothing at all." },
      { role: "assistant", content: "A long answer about nothing at all." },
      { role: "user", content: "Go on" },
    ] as const;
    const held = await agent.generate(before);
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: true });
    expect(summaries.calls).toHaveLength(1);
    expect(done.usage.totalTokens).toBe(4);
    expect(done.usageByModel["demo/m"]?.totalTokens).toBe(4);
  });
});

describe("an inner agent whose caller is entered again", () => {
  const inner = () => {
    const model = scriptedModel(answer([call("1", "note")]), answer("42"));
    const tool = createTool({ id: "note", description: "x", inputSchema: { type: "object" }, execute: () => "noted" });
    return { model, agent: createAgent({ name: "expert", description: "Knows.", model, tools: [tool] }) };
  };

  it("gives the same result, and its usage counts once for an agent around it", async () => {
    const { agent: expert, model: innerModel } = inner();
    const results: unknown[] = [];
    const tool = createTool({
      id: "research",
      description: "x",
      inputSchema: { type: "object" },
      execute: async (_input, ctx) => {
        const { text, steps, usage: used, messages } = await expert.generate("What?", { parent: ctx });
        results.push({ text, used, steps: steps.length, messages: messages.map(textOf) });
        await ctx.ask("sure", "Sure?");
        return text;
      },
    });
    const model = scriptedModel(answer([call("r", "research")]), answer("Done."));
    const agent = createAgent({ model, tools: [tool], store: memoryStore() });
    const held = await agent.generate("Go");
    expect(held.usage.totalTokens).toBe(6);
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: true });
    expect(done.usage.totalTokens).toBe(8);
    expect(innerModel.calls).toHaveLength(2);
    expect(results[1]).toEqual(results[0]);
    expect(results[0]).toMatchObject({ text: "42", used: { totalTokens: 4 }, steps: 2 });
  });

  it("gives the same result to a node of a graph", async () => {
    const { agent: expert } = inner();
    const used: unknown[] = [];
    const app = new Graph<string, string>()
      .addNode("ask", async (question: string, ctx) => {
        const { output, usage: total } = await expert.generate(question, { parent: ctx });
        used.push(total.totalTokens);
        await ctx.ask("sure", "Sure?");
        return output;
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ store: memoryStore() });
    const error = await failureOf(app.invoke("What?", { checkpointId: "1" }));
    const [interrupt] = (error as unknown as { interrupts: { id: string }[] }).interrupts;
    expect(await app.resume("1", { [interrupt?.id ?? ""]: true })).toBe("42");
    expect(used).toEqual([4, 4]);
  });

  it("counts what it used before it failed or waits", async () => {
    const failing = createAgent({
      name: "expert",
      description: "Knows.",
      model: scriptedModel(answer([call("1", "nothing")]), new Error("down")),
      retry: false,
    });
    const model = scriptedModel(answer([call("a", "expert", { prompt: "?" })]), answer("Sorry."));
    const { usage: used } = await createAgent({ model, tools: [failing.asTool()] }).generate("Go");
    expect(used.totalTokens).toBe(6);
    const waiting = createAgent({
      name: "expert",
      description: "Knows.",
      model: scriptedModel(answer([call("1", "pay")])),
      tools: [
        createTool({ id: "pay", description: "x", inputSchema: {}, requireApproval: true, execute: () => "paid" }),
      ],
    });
    const outer = createAgent({
      model: scriptedModel(answer([call("a", "expert", { prompt: "?" })])),
      tools: [waiting.asTool()],
      store: memoryStore(),
    });
    expect((await outer.generate("Go")).usage.totalTokens).toBe(4);
  });
});
