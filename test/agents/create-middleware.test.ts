import { assistantMessage, createTool, memoryStore, textOf, userMessage } from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

describe("the hooks of middlewares", () => {
  it("run before in order, after in reverse, and wrap from the outside in", async () => {
    const order: string[] = [];
    const tracing = (name: string) =>
      createMiddleware({
        name,
        beforeAgent: () => void order.push(`${name} beforeAgent`),
        beforeStep: () => void order.push(`${name} beforeStep`),
        async wrapModelCall(_request, next) {
          order.push(`${name} model`);
          const message = await next().message();
          order.push(`${name} /model`);
          return message;
        },
        afterModel: () => void order.push(`${name} afterModel`),
        async wrapToolCall(_call, next) {
          order.push(`${name} tool`);
          const output = await next();
          order.push(`${name} /tool`);
          return output;
        },
        afterStep: () => void order.push(`${name} afterStep`),
        afterAgent: () => void order.push(`${name} afterAgent`),
      });
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    await createAgent({ model, tools: [tool], middleware: [tracing("a"), tracing("b")] }).generate("Weather?");
    const step = (...inner: string[]) => [
      ...["a beforeStep", "b beforeStep", "a model", "b model", "b /model", "a /model", "b afterModel", "a afterModel"],
      ...inner,
      ...["b afterStep", "a afterStep"],
    ];
    expect(order).toEqual([
      ...["a beforeAgent", "b beforeAgent"],
      ...step("a tool", "b tool", "b /tool", "a /tool"),
      ...step(),
      ...["b afterAgent", "a afterAgent"],
    ]);
  });

  it("change one step, of which only the messages stay", async () => {
    const { tool } = weatherTool();
    const other = scriptedModel([weatherCall("1", "Kyoto")]);
    const model = scriptedModel("Warm.");
    let step = 0;
    const middleware = createMiddleware({
      name: "first",
      beforeStep({ view }) {
        step += 1;
        if (step > 1) return undefined;
        const messages = [userMessage("edited"), ...view.slice(1)];
        return { model: other, messages, instructions: "Once.", toolChoice: "required", options: { temperature: 1 } };
      },
    });
    const agent = createAgent({ model, tools: [tool], instructions: "Always.", middleware: [middleware] });
    const result = await agent.generate("Weather?");
    expect(other.calls[0]?.messages.map(textOf)).toEqual(["Once.", "edited"]);
    expect(other.calls[0]?.options).toMatchObject({ toolChoice: "required", temperature: 1 });
    expect(model.calls[0]?.messages.map(textOf).slice(0, 2)).toEqual(["Always.", "edited"]);
    expect(model.calls[0]?.options.temperature).toBeUndefined();
    expect(result.messages[0]).toEqual(userMessage("Weather?"));
  });

  it("choose tools by name, or bring others", async () => {
    const { tool } = weatherTool();
    const now = createTool({ id: "now", description: "The time.", execute: () => "12:00" });
    const model = scriptedModel([call("1", "now")], "Noon.");
    const middleware = createMiddleware({
      name: "chooser",
      beforeStep: ({ steps }) => (steps.length === 0 ? { tools: [now] } : { tools: ["get_weather"] }),
    });
    const agent = createAgent({ model, tools: [tool, weatherTool2()], middleware: [middleware] });
    const result = await agent.generate("Time?");
    expect(resultTexts(result.messages)).toEqual(["12:00"]);
    expect(model.calls.map(({ options }) => options.tools?.map(({ name }) => name))).toEqual([
      ["now"],
      ["get_weather"],
    ]);
  });

  it("call the model again, and give a message or a stream in its place", async () => {
    const model = scriptedModel("bad", "good");
    const again = createMiddleware({
      name: "again",
      async wrapModelCall(request, next) {
        const first = await next().message();
        return textOf(first) === "good" ? first : next({ ...request, options: { ...request.options, temperature: 0 } });
      },
    });
    expect((await createAgent({ model, middleware: [again] }).generate("Hi")).text).toBe("good");
    expect(model.calls[1]?.options).toEqual({ temperature: 0 });
    const fixed = createMiddleware({ name: "fixed", wrapModelCall: () => assistantMessage("cached") });
    const never = scriptedModel();
    const stream = createAgent({ model: never, middleware: [fixed] }).stream("Hi");
    expect((await stream.result).text).toBe("cached");
  });

  it("let chunks through while they come", async () => {
    const upper = createMiddleware({
      name: "upper",
      wrapModelCall: async function* (_request: unknown, next: () => AsyncIterable<{ role: "assistant" }>) {
        for await (const chunk of next()) yield chunk;
      } as never,
    });
    const model = scriptedModel([assistantMessage("a"), assistantMessage("b")]);
    const events = await eventsOf(createAgent({ model, middleware: [upper] }).stream("Hi"));
    expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(2);
  });

  it("replace the answer in the log, and jump", async () => {
    const { tool, ran } = weatherTool();
    const redact = createMiddleware({
      name: "redact",
      afterModel: (message) => ({ message: assistantMessage(textOf(message).replace("secret", "***")) }),
    });
    const redacted = await createAgent({ model: scriptedModel("a secret"), middleware: [redact] }).generate("Hi");
    expect(redacted.text).toBe("a ***");
    const end = createMiddleware({ name: "end", afterModel: () => ({ jumpTo: "end" as const }) });
    const model = scriptedModel([weatherCall("1", "Kyoto")]);
    const ended = await createAgent({ model, tools: [tool], middleware: [end] }).generate("Weather?");
    expect(ran).toEqual([]);
    expect(canBeSent(ended.messages)).toBe(true);
    let jumps = 0;
    const back = createMiddleware({
      name: "back",
      afterModel: () => (jumps++ === 0 ? { jumpTo: "model" as const } : undefined),
    });
    const twice = scriptedModel([weatherCall("1", "Kyoto")], "Done.");
    const result = await createAgent({ model: twice, tools: [tool], middleware: [back] }).generate("Weather?");
    expect(result.text).toBe("Done.");
    expect(canBeSent(twice.calls[1]?.messages ?? [])).toBe(true);
  });

  it("wrap tools of both kinds", async () => {
    const tail = createTool({
      id: "tail",
      description: "Follows.",
      execute: async function* () {
        yield "one ";
        yield "two";
      },
    });
    const { tool } = weatherTool();
    const shout = createMiddleware({
      name: "shout",
      wrapToolCall: async (_call, next) => String(await next()).toUpperCase(),
    });
    const script = () => scriptedModel([call("1", "tail"), weatherCall("2", "Nara")], "Done.");
    const make = () => createAgent({ model: script(), tools: [tail, tool], middleware: [shout] });
    expect(resultTexts((await make().generate("Go")).messages)).toEqual(["ONE TWO", "NARA: 21 °C"]);
    expect(resultTexts((await make().stream("Go").result).messages)).toEqual(["ONE TWO", "NARA: 21 °C"]);
  });

  it("bring tools", async () => {
    const now = createTool({ id: "now", description: "The time.", execute: () => "12:00" });
    const clock = createMiddleware({ name: "clock", tools: [now] });
    const model = scriptedModel([call("1", "now")], "Noon.");
    expect(resultTexts((await createAgent({ model, middleware: [clock] }).generate("Time?")).messages)).toEqual([
      "12:00",
    ]);
  });

  it("are named when they fail", async () => {
    const cause = new Error("oops");
    const broken = createMiddleware({
      name: "fragile",
      beforeStep: () => {
        throw cause;
      },
    });
    const error = await failureOf(createAgent({ model: scriptedModel("x"), middleware: [broken] }).generate("Hi"));
    expect(error.message).toContain('Middleware "fragile" failed in beforeStep: oops');
    expect(error.cause).toBe(cause);
    const stuck = createMiddleware({
      name: "stuck",
      state: () => ({ f: undefined as unknown }),
      beforeStep: ({ state }) => {
        state.f = () => 1;
      },
    });
    const other = await failureOf(createAgent({ model: scriptedModel("x"), middleware: [stuck] }).generate("Hi"));
    expect(other.code).toBe("NOT_SERIALIZABLE");
  });

  it.each([
    [{ f: () => 1 }, "f in it"],
    [{ a: { list: [1, { fn: () => 1 }] } }, "a.list[1].fn in it"],
    [{ map: new Map([["k", { later: Promise.resolve() }]]) }, 'map.get("k").later in it'],
    [{ set: new Set([1, Symbol("s")]) }, "set[1] in it"],
    [() => 1, "after beforeStep: () => 1"],
  ])("say where in their state a value is that cannot be saved: %j", async (value, path) => {
    const odd = createMiddleware({
      name: "odd",
      state: (): unknown => ({}),
      beforeStep(run) {
        run.state = value;
      },
    });
    const error = await failureOf(createAgent({ model: scriptedModel("x"), middleware: [odd] }).generate("Hi"));
    expect(error).toMatchObject({ code: "NOT_SERIALIZABLE", message: expect.stringContaining(path) });
    expect(error.message).toContain('middleware "odd"');
  });

  it("hear of the end once, and only when it is good", async () => {
    const ends: string[] = [];
    const listener = createMiddleware({ name: "ends", afterAgent: ({ text }) => void ends.push(text) });
    await createAgent({ model: scriptedModel("Bye."), middleware: [listener] }).generate("Hi");
    await failureOf(
      createAgent({ model: scriptedModel(new Error("x")), retry: false, middleware: [listener] }).generate("Hi"),
    );
    expect(ends).toEqual(["Bye."]);
  });
});

describe("the state of a middleware", () => {
  const counter = (scope: "run" | "thread") =>
    createMiddleware({
      name: "counter",
      scope,
      state: () => ({ calls: 0 }),
      beforeStep(run) {
        run.state.calls += 1;
        return { options: { maxOutputTokens: run.state.calls } };
      },
    });

  it("lives as long as the turn, or as the thread", async () => {
    for (const [scope, seen] of [
      ["run", [1, 1]],
      ["thread", [1, 2]],
    ] as const) {
      const model = scriptedModel("a", "b");
      const agent = createAgent({ model, store: memoryStore(), middleware: [counter(scope)] });
      await agent.generate("1", { threadId: "t" });
      await agent.generate("2", { threadId: "t" });
      expect(model.calls.map(({ options }) => options.maxOutputTokens)).toEqual(seen);
    }
  });

  it("survives a wait", async () => {
    const { tool } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const agent = createAgent({ model, tools: [tool], store: memoryStore(), middleware: [counter("run")] });
    const held = await agent.generate("Weather?");
    await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(model.calls.map(({ options }) => options.maxOutputTokens)).toEqual([1, 2]);
  });

  it("may ask somebody, without asking the model again", async () => {
    const review = createMiddleware({
      name: "review",
      async afterModel(message, { ctx }) {
        const text = await ctx.ask<string>("review", { kind: "review", text: textOf(message) });
        return { message: assistantMessage(text) };
      },
    });
    const model = scriptedModel("draft");
    const agent = createAgent({ model, store: memoryStore(), middleware: [review] });
    const held = await agent.generate("Write");
    expect(held.interrupts[0]?.info).toEqual({ kind: "review", text: "draft" });
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: "final" });
    expect(done.text).toBe("final");
    expect(model.calls).toHaveLength(1);
    expect(done.messages).toHaveLength(2);
    expect(done.steps).toHaveLength(1);
  });
});

describe("createMiddleware", () => {
  it("refuses what is not a middleware", () => {
    expect(() => createMiddleware({ name: "" })).toThrow("name");
    expect(() => createMiddleware({ name: "x", scope: "week" } as never)).toThrow("scope");
    expect(() => createMiddleware({ name: "x", onStep: () => 1 } as never)).toThrow("onStep");
    expect(() => createMiddleware({ name: "x", beforeStep: 5 } as never)).toThrow("beforeStep");
  });
});

function weatherTool2() {
  return createTool({ id: "other", description: "Another.", inputSchema: z.object({}), execute: () => "x" });
}
