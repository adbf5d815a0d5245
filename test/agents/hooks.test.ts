import { assistantMessage, createTool, textOf, toolResultsOf, userMessage } from "kumiko";
import { type Agent, createAgent, createMiddleware, type MiddlewareOptions } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

const inTwo = () => scriptedModel([assistantMessage("a"), assistantMessage("b")], "asked again");

describe("next of wrapModelCall", () => {
  it("enters the hooks inside at once, whether or not the answer is read", async () => {
    const order: string[] = [];
    const koa = (name: string) =>
      createMiddleware({
        name,
        async wrapModelCall(_request, next) {
          order.push(`${name}>`);
          const reply = await next();
          order.push(`<${name}`);
          return reply;
        },
      });
    const agent = createAgent({ model: scriptedModel("Hi."), middleware: [koa("a"), koa("b"), koa("c")] });
    expect((await agent.generate("Hi")).text).toBe("Hi.");
    expect(order).toEqual(["a>", "b>", "c>", "<c", "<b", "<a"]);
  });

  it("gives a reply that is asked for once, also when its chunks are read first", async () => {
    const read: string[] = [];
    for (const give of ["message", "reply"] as const) {
      const model = inTwo();
      const logged = createMiddleware({
        name: "logged",
        async wrapModelCall(_request, next) {
          const reply = next();
          for await (const chunk of reply) read.push(textOf(chunk));
          return give === "message" ? reply.message() : reply;
        },
      });
      const agent = createAgent({ model, middleware: [logged] });
      expect((await agent.generate("Hi")).text).toBe("ab");
      expect(model.calls).toHaveLength(1);
    }
    expect(read).toEqual(["a", "b", "a", "b"]);
  });

  it("does not ask again for a reply that was left half read", async () => {
    const model = inTwo();
    const impatient = createMiddleware({
      name: "impatient",
      async wrapModelCall(_request, next) {
        const reply = next();
        for await (const _ of reply) break;
        return reply;
      },
    });
    const error = await failureOf(createAgent({ model, middleware: [impatient] }).generate("Hi"));
    expect(error.code).toBe("STREAM_CONSUMED");
    expect(model.calls).toHaveLength(1);
  });

  it("leaves no rejection behind when nobody reads what failed inside", async () => {
    const own = createMiddleware({
      name: "own",
      wrapModelCall(_request, next) {
        next();
        return assistantMessage("own");
      },
    });
    const broken = createMiddleware({ name: "broken", wrapModelCall: () => Promise.reject(new Error("oops")) });
    const model = scriptedModel();
    expect((await createAgent({ model, middleware: [own, broken] }).generate("Hi")).text).toBe("own");
    expect(model.calls).toHaveLength(0);
  });
});

describe("what a hook returns", () => {
  const wrong: [keyof MiddlewareOptions<never>, unknown, string][] = [
    ["beforeStep", { mesages: [] }, 'Unknown option "mesages"'],
    ["beforeStep", "x", "must be an object"],
    ["beforeStep", { messages: "x" }, "messages from"],
    ["beforeStep", { instructions: 5 }, "instructions from"],
    ["beforeStep", { tools: 5 }, "tools from"],
    ["beforeStep", { toolChoice: "sometimes" }, "toolChoice from"],
    ["beforeStep", { options: 5 }, "options from"],
    ["afterModel", { jumpto: "end" }, 'Unknown option "jumpto"'],
    ["afterModel", { jumpTo: "tools" }, "jumpTo must be"],
    ["afterModel", { message: "x" }, "message must be"],
    ["afterModel", { message: userMessage("x") }, "message must be"],
    ["wrapModelCall", undefined, "it must return"],
    ["wrapModelCall", userMessage("x"), "it must return"],
  ];

  it.each(wrong)("%s: %j is an error that names both", async (hook, given, message) => {
    const careless = createMiddleware({ name: "careless", [hook]: () => given } as never);
    const agent = createAgent({ model: scriptedModel("x", "x"), middleware: [careless] });
    for (const ran of [agent.generate("Hi"), agent.stream("Hi").result]) {
      const error = await failureOf(ran);
      expect(error.code).toBe("INVALID_OPTION");
      expect(error.message).toContain(message);
      expect(error.message).toContain('"careless"');
      expect(error.message).toContain(hook);
    }
  });

  it("is an error for next too", async () => {
    const careless = createMiddleware({ name: "careless", wrapModelCall: (_request, next) => next(null as never) });
    const error = await failureOf(createAgent({ model: scriptedModel("x"), middleware: [careless] }).generate("Hi"));
    expect(error.message).toContain('Middleware "careless" failed in wrapModelCall: next takes the request');
  });

  it("cannot be nothing around a tool", async () => {
    const { tool } = weatherTool();
    const careless = createMiddleware({ name: "careless", wrapToolCall: (async () => {}) as never });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Hm.");
    const { messages } = await createAgent({ model, tools: [tool], middleware: [careless] }).generate("Hi");
    expect(resultTexts(messages)[0]).toContain('Middleware "careless" failed in wrapToolCall: it must return');
  });

  it("may be a stream around a tool that streams", async () => {
    const tail = createTool({
      ...{ id: "tail", description: "Follows.", inputSchema: z.object({}) },
      execute: async function* () {
        yield "one";
      },
    });
    const other = createMiddleware({
      name: "other",
      wrapToolCall: async function* () {
        yield "p";
        yield "q";
      } as never,
    });
    const model = scriptedModel([call("1", "tail")], "Done.");
    const { messages } = await createAgent({ model, tools: [tail], middleware: [other] }).generate("Hi");
    expect(resultTexts(messages)).toEqual(["pq"]);
  });
});

it("a hook around a tool is named also when it rejects with nothing", async () => {
  const { tool } = weatherTool();
  const mute = createMiddleware({ name: "mute", wrapToolCall: () => Promise.reject(undefined) });
  const model = scriptedModel([weatherCall("1", "Kyoto")], "Hm.");
  const { messages } = await createAgent({ model, tools: [tool], middleware: [mute] }).generate("Hi");
  expect(resultTexts(messages)[0]).toContain('Middleware "mute" failed in wrapToolCall');
});

it("beforeAgent of an agent that is handed over to runs at its first step, once per turn", async () => {
  const begun: string[] = [];
  const told = (name: string) =>
    createMiddleware({ name, beforeAgent: ({ agent }) => void begun.push(`${name} in ${agent}`) });
  const shared = told("shared");
  const b: Agent = createAgent({
    ...{ name: "b", model: scriptedModel([call("2", "transfer_to_a")], "From b."), middleware: [shared, told("own")] },
    handoffs: () => [a],
  });
  const a: Agent = createAgent({
    ...{ name: "a", model: scriptedModel([call("1", "transfer_to_b")], [call("3", "transfer_to_b")]) },
    ...{ middleware: [shared], handoffs: () => [b] },
  });
  expect((await a.generate("Hi")).text).toBe("From b.");
  expect(begun).toEqual(["shared in a", "own in b"]);
});

it("a hook that always jumps to the model is stopped by maxSteps", async () => {
  const never = createMiddleware({ name: "never", afterModel: () => ({ jumpTo: "model" as const }) });
  for (const [onMaxSteps, text] of [
    ["answer", "3"],
    ["stop", "2"],
  ] as const) {
    const model = scriptedModel("1", "2", "3", "4");
    const agent = createAgent({ model, middleware: [never], maxSteps: 2, onMaxSteps });
    expect(await agent.generate("Hi")).toMatchObject({ finishReason: "max_steps", text });
  }
});

describe("a call that no tool runs for", () => {
  it("has a tool_result event like any other", async () => {
    const { tool, ran } = weatherTool();
    const jump = createMiddleware({ name: "jump", afterModel: () => ({ jumpTo: "end" as const }) });
    const calls = [weatherCall("1", "Kyoto"), weatherCall("2", "Nara")];
    const jumped = createAgent({ model: scriptedModel(calls), tools: [tool], middleware: [jump] });
    const answered = createAgent({
      model: scriptedModel([call("1", "final_answer", { n: 1 }), weatherCall("2", "Nara")]),
      tools: [tool],
      output: z.object({ n: z.number() }),
    });
    for (const agent of [jumped, answered]) {
      const stream = agent.stream("Hi");
      const events = await eventsOf(stream);
      const results = events.filter((event) => event.type === "tool_result").map(({ message }) => message);
      const { messages } = await stream.result;
      expect(results).toEqual(messages.filter((message) => toolResultsOf(message).length > 0));
      expect(results).toHaveLength(2);
      expect(events.at(-2)?.type).toBe("step_finish");
    }
    expect(ran).toEqual([]);
  });
});
