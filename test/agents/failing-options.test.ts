import { findCause, userMessage } from "kumiko";
import { type AgentOptions, createAgent, createMiddleware, messagesOf } from "kumiko/agents";
import { structured } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { failureOf, weatherCall, weatherTool } from "./agents.js";

const broken = new Error("no db");
const fails = (): never => {
  throw broken;
};
const failsLater = async (): Promise<never> => {
  await undefined;
  throw broken;
};

type Options = Partial<AgentOptions>;
const calling = (): Options => ({
  model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."),
  tools: [weatherTool().tool],
});

/** The name of each function of an option, and an agent in which it throws. */
const functions: readonly (readonly [string, (fails: () => never | Promise<never>) => Options])[] = [
  ["instructions", (instructions) => ({ instructions })],
  ["model", (model) => ({ model })],
  ["tools", (tools) => ({ tools })],
  ["stopWhen", (stopWhen) => ({ ...calling(), stopWhen })],
  ["stopWhen[1]", (stops) => ({ ...calling(), stopWhen: [() => false, stops] })],
  ["handoffs", (handoffs) => ({ handoffs: handoffs as () => never })],
  ["retryOn", (retryOn) => ({ model: scriptedModel(new Error("busy")), retry: { retryOn: retryOn as () => never } })],
  [
    "state",
    (state) => ({ middleware: [createMiddleware({ name: "m", state: state as () => never, beforeAgent() {} })] }),
  ],
  ...(["beforeAgent", "beforeStep", "wrapModelCall", "afterModel", "afterStep", "afterAgent"] as const).map(
    (hook) =>
      [
        hook,
        (ask: () => never | Promise<never>): Options => ({
          middleware: [createMiddleware({ name: "m", [hook]: ask })],
        }),
      ] as const,
  ),
];

const synchronous = ["handoffs", "retryOn", "state"];

describe("a function of an option that throws", () => {
  it.each(functions)("is named: %s", async (name, options) => {
    for (const throws of synchronous.includes(name) ? [fails] : [fails, failsLater])
      for (const way of ["generate", "stream"] as const) {
        const agent = createAgent({ model: scriptedModel("Hi."), retry: false, ...options(throws), name: "helper" });
        const error = await failureOf(way === "generate" ? agent.generate("Hi") : agent.stream("Hi").result);
        expect(error.message).toContain(name);
        expect(error.message).toContain("no db");
        expect(error.message).not.toContain('Node "model"');
        expect(findCause(error, Error)).toBeDefined();
      }
  });

  it("leaves the caller's abort as it is", async () => {
    const stop = new AbortController();
    const left = new Error("left");
    const instructions = (): never => {
      stop.abort(left);
      throw left;
    };
    const agent = createAgent({ model: scriptedModel("Hi."), instructions });
    expect(await failureOf(agent.generate("Hi", { signal: stop.signal }))).toBe(left);
  });
});

describe("what the library has done on its own", () => {
  const busy = () => Object.assign(new Error("slow down"), { statusCode: 429 });

  it("is told after the last attempt, with what every model said", async () => {
    const retry = { attempts: 3, delayMs: 0 };
    for (const way of ["generate", "stream"] as const) {
      const agent = createAgent({ model: scriptedModel(busy(), busy(), busy()), retry });
      const error = await failureOf(way === "generate" ? agent.generate("Hi") : agent.stream("Hi").result);
      expect(error.message).toContain("The model was asked 3 times. At last, it failed with: slow down.");
      expect(error.cause).toMatchObject({ statusCode: 429 });
      expect(messagesOf(error)).toHaveLength(1);
      const fallbacks = [scriptedModel(busy(), busy(), busy())];
      const both = createAgent({ model: scriptedModel(busy(), busy(), busy()), retry, fallbacks });
      const all = await failureOf(way === "generate" ? both.generate("Hi") : both.stream("Hi").result);
      expect(all.message.match(/asked 3 times/g)).toHaveLength(2);
    }
  });

  it("is told when an output could not be corrected", async () => {
    const output = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
    const model = scriptedModel('{"a":1}', '{"a":2}', '{"a":3}');
    const error = await failureOf(createAgent({ model, output, outputRepairs: 2 }).generate("Hi"));
    expect(error.message).toContain("although the model was asked 2 times to correct it");
    const once = structured(scriptedModel("1", "2"), output).invoke([userMessage("Hi")]);
    expect((await failureOf(once)).message).toContain("although the model was asked once to correct it");
    const never = structured(scriptedModel("1"), output, { outputRepairs: 0 }).invoke([userMessage("Hi")]);
    expect((await failureOf(never)).message).toContain("does not match the output schema:");
  });
});
