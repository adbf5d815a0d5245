import { createGateway, createProviderRegistry, customProvider } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type AgenticMessage, assistantMessage, Chain, Runtime, runnable, textOf, userMessage } from "kumiko";
import { createAgent, createMiddleware, summarize } from "kumiko/agents";
import { fallbackModel, limitModel, type Model, retryModel, structured, toModel } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const prompt = [userMessage("Hi")];

/** A runtime whose models answer with their names. */
function naming(): Runtime {
  return new Runtime({ models: (id) => scriptedModel(...Array.from({ length: 5 }, () => `I am ${id}`)) });
}

function mockModel(modelId: string): MockLanguageModelV4 {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const content = [{ type: "text", text: `I am ${modelId}` }];
  return new MockLanguageModelV4({
    provider: "mock",
    modelId,
    doGenerate: async () => ({ content, finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] }) as never,
  });
}

function failureOf(make: () => unknown): { code?: string; message: string; cause?: unknown } {
  try {
    make();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("It did not throw.");
}

describe("the name of a model", () => {
  const mapleProvider = customProvider({ languageModels: { fast: mockModel("maple") } });

  it.each([
    ["a registry of the AI SDK", createProviderRegistry({ trees: mapleProvider }), "trees:fast"],
    ["a custom provider", mapleProvider, "fast"],
    ["a function", (id: string): Model => mockModel(id === "fast" ? "maple" : "?"), "fast"],
    ["a function that gives another name", (id: string): Model => (id === "m" ? mockModel("maple") : "m"), "fast"],
  ])("is resolved by %s", async (_, models, name) => {
    const runtime = new Runtime({ models });
    expect((await createAgent({ model: name, runtime }).generate("Hi")).text).toBe("I am maple");
  });

  it("is resolved by a gateway, which is a function with methods", () => {
    const runtime = new Runtime({ models: createGateway({ apiKey: "none" }) });
    expect(toModel("openai/gpt-5", runtime).type).toBe("gateway/openai/gpt-5");
  });

  it("is resolved when an agent is made, and for its fallbacks and functions", async () => {
    const asked: string[] = [];
    const failing = scriptedModel(new Error("no"));
    const runtime = new Runtime({
      models: (id) => {
        asked.push(id);
        return id === "first" ? failing : scriptedModel(`I am ${id}`);
      },
    });
    const agent = createAgent({ model: "first", fallbacks: ["second"], retry: false, runtime });
    expect(asked).toContain("first");
    expect((await agent.generate("Hi")).text).toBe("I am second");
    expect((await createAgent({ model: () => "third", runtime }).generate("Hi")).text).toBe("I am third");
    const other = createMiddleware({ name: "other", beforeStep: () => ({ model: "fourth" }) });
    expect((await createAgent({ model: "third", middleware: [other], runtime }).generate("Hi")).text).toBe(
      "I am fourth",
    );
  });

  it("is resolved at each call by the runtime of the graph or agent that calls", async () => {
    const models: [string, (name: string) => ReturnType<typeof toModel>][] = [
      ["toModel", (name) => toModel(name)],
      ["retryModel", (name) => retryModel(name)],
      ["fallbackModel", (name) => fallbackModel([name])],
      ["limitModel", (name) => limitModel(name, (work) => work())],
    ];
    for (const [how, make] of models) {
      const app = new Chain<readonly AgenticMessage[]>().appendModel(make("maple")).compile({ runtime: naming() });
      expect(textOf(await app.invoke(prompt)), how).toBe("I am maple");
      expect(textOf((await app.stream(prompt).concat()) ?? prompt[0]), `${how}, streamed`).toBe("I am maple");
      const agent = createAgent({ model: make("maple"), runtime: naming() });
      expect((await agent.generate("Hi")).text, `${how} in an agent`).toBe("I am maple");
    }
  });

  it("of structured is resolved by the graph around it", async () => {
    const runtime = new Runtime({ models: () => scriptedModel('{"city":"Kyoto"}') });
    const city = structured("maple", z.object({ city: z.string() }));
    const app = new Chain<readonly AgenticMessage[]>().append(city).compile({ runtime });
    expect(await app.invoke(prompt)).toEqual({ city: "Kyoto" });
    await expect(city.invoke(prompt)).rejects.toMatchObject({ code: "NO_MODEL" });
  });

  it("of a middleware is resolved by the agent", async () => {
    const asked: string[] = [];
    const runtime = new Runtime({
      models: (id) => {
        asked.push(id);
        return scriptedModel("In short.", "In short.");
      },
    });
    const agent = createAgent({
      model: scriptedModel("Yes."),
      middleware: [summarize({ model: "short", atTokens: 5, keepTurns: 1 })],
      runtime,
    });
    await agent.generate([userMessage("A long story ".repeat(20)), assistantMessage("Hm."), userMessage("And?")]);
    expect(asked).toEqual(["short"]);
  });

  it("names the provider and the model in traces before it is resolved", () => {
    expect(toModel("openai:gpt-5").type).toBe("openai/gpt-5");
  });

  it("without models is NO_MODEL, which shows what to write", () => {
    const error = failureOf(() => createAgent({ model: "openai:gpt-5" }));
    expect(error.code).toBe("NO_MODEL");
    expect(error.message).toContain('createAgent("agent") got the name of a model, "openai:gpt-5"');
    expect(error.message).toContain("new Runtime({ models: createProviderRegistry({ openai }) })");
    expect(error.message).toContain('openai("gpt-5")');
    expect(failureOf(() => toModel("x", new Runtime())).code).toBe("NO_MODEL");
  });

  it.each([
    ["the registry throws", createProviderRegistry({ trees: mapleProvider })],
    ["nothing is found", () => undefined as never],
    ["names lead nowhere", (id: string) => (id === "x" ? "y" : "x")],
  ])("is NO_MODEL when %s", (_, models) => {
    const error = failureOf(() => createAgent({ model: "x", runtime: new Runtime({ models }) }));
    expect(error.code).toBe("NO_MODEL");
    expect(error.message).toContain("for which the models of its runtime have none");
  });

  it("keeps what the registry threw as the cause", () => {
    const runtime = new Runtime({ models: createProviderRegistry({ trees: mapleProvider }) });
    expect(failureOf(() => toModel("oaks:fast", runtime)).cause).toMatchObject({ name: "AI_NoSuchProviderError" });
  });

  it("is no node", () => {
    expect(() => new Chain().append("openai:gpt-5" as never)).toThrow(/is the value openai:gpt-5/);
  });

  it("stands for what the models give, or is told what that is", () => {
    const runtime = new Runtime({ models: () => Promise.resolve(mockModel("maple")) as never });
    expect(failureOf(() => toModel("x", runtime))).toMatchObject({ code: "INVALID_MODEL" });
    expect(failureOf(() => new Runtime({ models: {} as never }))).toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("a custom model", () => {
  const whole = { component: "model", generate: async () => assistantMessage("Hello") } as const;
  const streaming = {
    component: "model",
    async *stream() {
      for (const text of ["Hel", "lo"]) {
        yield assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]);
      }
    },
  } as const;

  it.each([
    ["generate", whole, ["Hello"]],
    ["stream", streaming, ["Hel", "lo"]],
  ] as const)("needs only %s", async (_, model, chunks) => {
    const app = new Chain<readonly AgenticMessage[]>().appendModel(model).compile();
    expect(textOf(await app.invoke(prompt))).toBe("Hello");
    const streamed: string[] = [];
    for await (const chunk of app.stream(prompt)) streamed.push(textOf(chunk));
    expect(streamed).toEqual(chunks);
    expect((await createAgent({ model }).generate("Hi")).text).toBe("Hello");
    expect(await createAgent({ model }).stream("Hi").text).toBe("Hello");
    expect(textOf(await runnable(toModel(model)).invoke(prompt))).toBe("Hello");
    expect(textOf(await runnable(retryModel(model)).invoke(prompt))).toBe("Hello");
  });

  it("without either is refused", () => {
    expect(() => toModel({ component: "model" } as never)).toThrow(/needs component, and generate or stream/);
  });
});
