import {
  type AgenticMessage,
  assistantMessage,
  memoryStore,
  type TraceNode,
  textOf,
  traceRecorder,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware, threads } from "kumiko/agents";
import { scriptedModel, simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { failureOf, weatherCall, weatherTool } from "./agents.js";

function named(nodes: readonly TraceNode[]): string[] {
  return nodes.flatMap((node) => [
    `${node.component} ${node.name}`,
    ...named(node.children).map((line) => `  ${line}`),
  ]);
}

describe("an agent", () => {
  it("holds no run: calls may overlap", async () => {
    const model = scriptedModel(
      ...Array.from({ length: 5 }, () => (messages: readonly { role: string }[]) => `${messages.length}`),
    );
    const agent = createAgent({ model });
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => agent.generate(`${n}`)));
    expect(results.map(({ messages }) => messages.map(textOf))).toEqual([1, 2, 3, 4, 5].map((n) => [`${n}`, "1"]));
  });

  it("is seen by handlers: each attempt of a model is a run of its own", async () => {
    const { tool } = weatherTool();
    const busy = Object.assign(new Error("busy"), { statusCode: 503 });
    const model = scriptedModel([weatherCall("1", "Kyoto")], busy, "Warm.");
    const trace = traceRecorder();
    const agent = createAgent({ name: "helper", model, tools: [tool], retry: { delayMs: 0 }, callbacks: [trace] });
    await agent.generate("Weather?");
    expect(named(trace.toJSON().runs)).toEqual([
      "agent helper",
      "  lambda model",
      "    model attempt",
      "  tools_node tools",
      "    tool get_weather",
      "  lambda model",
      "    model attempt",
      "    model attempt",
    ]);
  });

  it("gives options to its models: its own, then those of the call", async () => {
    const model = scriptedModel("a", "b");
    const agent = createAgent({ model, modelOptions: { temperature: 0, maxOutputTokens: 5 } });
    await agent.generate("1", { modelOptions: { maxOutputTokens: 9 } });
    await agent.generate("2", { options: { model: { temperature: 1 } } });
    expect(model.calls.map(({ options }) => options)).toEqual([
      { temperature: 0, maxOutputTokens: 9 },
      { temperature: 1, maxOutputTokens: 5 },
    ]);
  });

  it("stops a model that takes too long, or is silent for too long", async () => {
    const deaf = () => new Promise<never>(() => undefined);
    const slow = createAgent({ model: scriptedModel(deaf), retry: false, modelTimeoutMs: 5 });
    expect((await failureOf(slow.generate("Hi"))).message).toContain("modelTimeoutMs of 5 ms");
    async function* silent() {
      yield assistantMessage("Once");
      await deaf();
    }
    const model = scriptedModel(silent(), "again");
    const idle = createAgent({ model, retry: { attempts: 2, delayMs: 0 }, modelIdleTimeoutMs: 5 });
    expect((await idle.stream("Hi").result).text).toBe("again");
  });

  it("stops with the reason of its caller", async () => {
    const reason = new Error("enough");
    const agent = createAgent({ model: scriptedModel("never") });
    expect(await failureOf(agent.generate("Hi", { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it("goes on with the code of now: state of a middleware that is gone is dropped, a new one begins", async () => {
    const store = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    const counting = (name: string) =>
      createMiddleware({
        name,
        state: () => ({ steps: 0 }),
        beforeStep: (run) => {
          run.state.steps += 1;
          return { options: { maxOutputTokens: run.state.steps } };
        },
      });
    const first = createAgent({
      model: scriptedModel([weatherCall("1", "Kyoto")]),
      tools: [tool],
      store,
      middleware: [counting("old")],
    });
    const held = await first.generate("Weather?");
    const model = scriptedModel("Warm.");
    const second = createAgent({ model, tools: [tool], store, instructions: "New.", middleware: [counting("new")] });
    const events: unknown[] = [];
    const done = await second.resume(
      held,
      { [held.interrupts[0]?.id ?? ""]: { approved: true } },
      { callbacks: [{ onEvent: (_info, event) => void events.push(event) }] },
    );
    expect(done.text).toBe("Warm.");
    expect(model.calls[0]?.options.maxOutputTokens).toBe(1);
    expect(textOf(model.calls[0]?.messages[0] ?? assistantMessage(""))).toBe("New.");
    expect(events).toContainEqual({ kind: "progress", event: { kind: "middleware_state_dropped", middleware: "old" } });
  });

  it("goes by the clock of its runtime: delays, time limits of models, waiting for a turn, and when turns began", async () => {
    await simulate(async ({ runtime, now }) => {
      const overloaded = Object.assign(new Error("overloaded"), { statusCode: 503 });
      const hangs = () => new Promise<never>(() => undefined);
      const waits = createAgent({ model: scriptedModel(overloaded, "Hi."), runtime, retry: { jitter: false } });
      await waits.generate("Hello");
      expect(now()).toBe(1_000);
      const limited = createAgent({ model: scriptedModel(hangs), runtime, retry: false, modelTimeoutMs: 60_000 });
      await failureOf(limited.generate("Hello"));
      expect(now()).toBe(61_000);
      const silent = createAgent({ model: scriptedModel(hangs), runtime, retry: false, modelIdleTimeoutMs: 9_000 });
      await failureOf(silent.stream("Hello").result);
      expect(now()).toBe(70_000);
      const store = memoryStore();
      const busy = createAgent({ model: scriptedModel(hangs), runtime, store });
      const stop = new AbortController();
      const first = failureOf(busy.generate("1", { threadId: "t", signal: stop.signal }));
      const second = await failureOf(busy.generate("2", { threadId: "t", onBusy: "wait", timeoutMs: 20_000 }));
      expect([second.name, now()]).toEqual(["TimeoutError", 90_000]);
      stop.abort(new Error("enough"));
      await first;
      for await (const { startedAt } of threads(store).turns("t")) expect(startedAt.getTime()).toBe(70_000);
    });
  });

  it("counts what was used before a wait, once", async () => {
    const tokenUsage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const { tool } = weatherTool({ requireApproval: true });
    const says = (content: Parameters<typeof assistantMessage>[0]) =>
      assistantMessage(content, { responseMeta: { tokenUsage } });
    const model = scriptedModel(says([weatherCall("1", "Kyoto")]), says("Warm."));
    const agent = createAgent({ model, tools: [tool], store: memoryStore() });
    const held = await agent.generate("Weather?");
    expect(held.usage.totalTokens).toBe(2);
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(done.usage.totalTokens).toBe(4);
  });

  it("freezes its copies of what a saved run has logged, and nothing of others", async () => {
    const { tool } = weatherTool();
    const extra = { note: { text: "kept by the model" } };
    const asked = assistantMessage([weatherCall("1", "Kyoto")], { extra });
    const prompt = [userMessage("Weather?")];
    const seen: (readonly AgenticMessage[])[] = [];
    const model = scriptedModel(asked, (messages: readonly AgenticMessage[]) => {
      seen.push(messages);
      return "Warm.";
    });
    await createAgent({ model, tools: [tool], store: memoryStore() }).generate(prompt, { checkpointId: "1" });
    const logged = seen[0] ?? [];
    expect(logged.map((message) => [message.role, Object.isFrozen(message)])).toEqual([
      ["user", true],
      ["assistant", true],
      ["user", true],
    ]);
    expect(logged[1]).toEqual(asked);
    expect(Object.isFrozen(logged[1]?.extra?.note)).toBe(true);
    expect([asked, extra, extra.note, prompt[0]].map(Object.isFrozen)).toEqual([false, false, false, false]);
  });
});
