import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calledTool } from "../../src/agents/called-tool.js";
import { createAgent } from "../../src/agents/create-agent.js";
import { createMiddleware } from "../../src/agents/create-middleware.js";
import { clearToolResults } from "../../src/agents/middleware/clear-tool-results.js";
import { subAgents } from "../../src/agents/middleware/sub-agents.js";
import { summarize } from "../../src/agents/middleware/summarize.js";
import { trimMessages } from "../../src/agents/middleware/trim-messages.js";
import { threads } from "../../src/agents/threads.js";
import { memoryStore } from "../../src/checkpoint/memory-store.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { createTool } from "../../src/tools/define/create-tool.js";
import { eventsOf, failureOf, weatherTool } from "./agents.js";

function codeOf(make: () => unknown): string | undefined {
  try {
    make();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
}

describe("createAgent refuses", () => {
  const model = scriptedModel();
  const { tool } = weatherTool();
  const provider = Object.assign(() => model, { languageModel: () => model });
  const cases: [string, object, string][] = [
    ["the name of a model", { model: "gpt-5" }, "INVALID_MODEL"],
    ["a provider", { model: provider }, "INVALID_MODEL"],
    ["no model", {}, "INVALID_MODEL"],
    ["options that do not exist", { model, signal: new AbortController().signal }, "INVALID_OPTION"],
    ["tools of one name", { model, tools: [tool, tool] }, "DUPLICATE_TOOL"],
    ["what is not a tool", { model, tools: [5] }, "INVALID_TOOL"],
    [
      "middlewares of one name",
      { model, middleware: [createMiddleware({ name: "m" }), createMiddleware({ name: "m" })] },
      "INVALID_OPTION",
    ],
    ["what is not a middleware", { model, middleware: [{}] }, "INVALID_OPTION"],
    ["a limit below 1", { model, maxSteps: 0 }, "INVALID_OPTION"],
    ["half a step", { model, maxSteps: 1.5 }, "INVALID_OPTION"],
    ["an output without a JSON form", { model, output: z.symbol() }, "INVALID_OPTION"],
    ["names of no tool", { model, tools: [tool], returnDirectly: ["nothing"] }, "INVALID_OPTION"],
    ["words that are none", { model, onMaxSteps: "explode" }, "INVALID_OPTION"],
    ["what is not an agent", { model, handoffs: [{}] }, "INVALID_OPTION"],
    ["a name with spaces", { model, name: "a b" }, "INVALID_OPTION"],
    ["a stopWhen that is no function", { model, stopWhen: 5 }, "INVALID_OPTION"],
    ["fallbacks that are no models", { model, fallbacks: ["gpt-5"] }, "INVALID_MODEL"],
    ["an unknown option of retry", { model, retry: { times: 3 } }, "INVALID_OPTION"],
    [
      "a retry that is none, also where the model is a function",
      { model: () => model, retry: { attempts: 0 } },
      "INVALID_OPTION",
    ],
    [
      "unknown options of its tools node, also where tools are a function",
      { model, tools: () => [], toolsNode: { foo: 1 } },
      "INVALID_OPTION",
    ],
    ["a stop at no tool", { model, tools: [tool], stopWhen: [calledTool("get_whether")] }, "INVALID_OPTION"],
    ["a time limit that no timer can wait", { model, modelTimeoutMs: Number.POSITIVE_INFINITY }, "INVALID_OPTION"],
    ["tools as an option of models", { model, modelOptions: { tools: [] } }, "INVALID_OPTION"],
  ];
  it.each(cases)("%s", (_name, options, code) => {
    expect(codeOf(() => createAgent(options as never))).toBe(code);
  });

  it("approvals of no tool", () => {
    const make = () => createAgent({ model, tools: [tool], requireApproval: { nothing: true } });
    expect(codeOf(make)).toBe("INVALID_OPTION");
  });

  it("the same names of no tool where tools are a function, before the first call", async () => {
    const tools = () => [tool];
    for (const options of [
      { requireApproval: { nothing: true } },
      { returnDirectly: ["nothing"] },
      { stopWhen: calledTool("nothing") },
    ]) {
      const asked = scriptedModel("x");
      const agent = createAgent({ model: asked, store: memoryStore(), tools, ...options });
      const error = await failureOf(agent.generate("Hi"));
      expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("nothing") });
      expect(asked.calls).toEqual([]);
    }
  });

  it("no names of tools that others may bring: agents behind a handoff, middlewares", async () => {
    const other = createAgent({ model, name: "other" });
    createAgent({ model, handoffs: [other], stopWhen: calledTool("theirs") });
    const brings = createMiddleware({ name: "brings", beforeStep: () => ({ tools: [weatherTool().tool] }) });
    const agent = createAgent({
      model: scriptedModel([
        { type: "function_tool_call", callId: "1", name: "get_weather", arguments: '{"city":"Kyoto"}' },
      ]),
      tools: [createTool({ id: "own", description: "Its own.", inputSchema: z.object({}), execute: () => "x" })],
      middleware: [brings],
      store: memoryStore(),
      requireApproval: { own: true },
      stopWhen: calledTool("get_weather"),
    });
    expect((await agent.generate("Hi")).finishReason).toBe("stop_when");
  });

  it("a signal that is none, also beside that of a reader", async () => {
    const agent = createAgent({ model: scriptedModel("Hi."), store: memoryStore() });
    for (const options of [{ signal: "x" as never }, { signal: "x" as never, threadId: "u" }]) {
      await expect(agent.stream("Hi", options).result).rejects.toMatchObject({ code: "INVALID_OPTION" });
      await expect(agent.generate("Hi", options)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });

  it("a checkpointId without a store, and says where that is given", async () => {
    const error = await failureOf(createAgent({ model: scriptedModel() }).generate("Hi", { checkpointId: "c" }));
    expect(error).toMatchObject({ code: "NO_STORE", message: expect.stringContaining("createAgent({ store })") });
  });

  it("unknown options of asTool and of what is no store", () => {
    const agent = createAgent({ model, description: "Helps." });
    expect(codeOf(() => agent.asTool({ name: "x" } as never))).toBe("INVALID_OPTION");
    expect(codeOf(() => agent.asTool({ history: "all" } as never))).toBe("INVALID_OPTION");
    expect(codeOf(() => threads({} as never))).toBe("INVALID_OPTION");
  });

  it("the names that other packages use, and says which are used here", async () => {
    const agent = createAgent({ model: scriptedModel("x") });
    const error = await failureOf(agent.generate("Hi", { abortSignal: new AbortController().signal } as never));
    expect(error.message).toContain("signal");
    expect((await failureOf(agent.generate("Hi", { runtimeContext: {} } as never))).message).toContain(
      "requestContext",
    );
    expect((await failureOf(agent.generate("Hi", { maxSteps: 0 }))).code).toBe("INVALID_OPTION");
    const modelOptions = { responseFormat: { type: "text" } } as never;
    expect((await failureOf(agent.generate("Hi", { modelOptions }))).code).toBe("INVALID_OPTION");
    await expect(eventsOf(agent.stream(5 as never))).rejects.toThrow("An agent takes");
  });
});

describe("a model that sends rubbish", () => {
  it("has repeated call ids made unique", async () => {
    const { tool, ran } = weatherTool();
    const twice = {
      type: "function_tool_call",
      callId: "1",
      name: "get_weather",
      arguments: '{"city":"Kyoto"}',
    } as const;
    const result = await createAgent({ model: scriptedModel([twice, twice], "ok"), tools: [tool] }).generate("Go");
    expect(ran).toHaveLength(2);
    const ids = result.steps[0]?.message.contentBlocks.map((block) => (block as { callId?: string }).callId);
    expect(new Set(ids).size).toBe(2);
  });

  it("reads what is wrong with arguments that are cut off", async () => {
    const { tool } = weatherTool();
    const cut = { type: "function_tool_call", callId: "1", name: "get_weather", arguments: '{"city":"Ky' } as const;
    const model = scriptedModel([cut], "Sorry.");
    expect((await createAgent({ model, tools: [tool] }).generate("Go")).text).toBe("Sorry.");
    expect(JSON.stringify(model.calls[1]?.messages)).toContain("valid JSON");
  });
});

describe("built-in middlewares refuse", () => {
  const model = scriptedModel();
  it.each([
    ["limits that are none", () => trimMessages({ maxTokens: 0 })],
    ["unknown options", () => trimMessages({ maxTokens: 5, keep: 1 } as never)],
    ["a part of a round", () => clearToolResults({ atTokens: 5, keepRounds: 0.5 })],
    ["a summary without a limit", () => summarize({ model, keepTurns: 1 } as never)],
    ["no agents", () => subAgents({ agents: [] })],
    ["agents without a description", () => subAgents({ agents: [createAgent({ model })] })],
  ])("%s", (_name, make) => {
    expect(codeOf(make)).toBe("INVALID_OPTION");
  });
});

it("a record that is no turn of a thread is told of", async () => {
  const store = memoryStore();
  await store.put("~thread/t/00000001", new TextEncoder().encode("{}"), undefined);
  const agent = createAgent({ model: scriptedModel("x"), store });
  expect((await failureOf(agent.generate("Hi", { threadId: "t" }))).code).toBe("CHECKPOINT_UNREADABLE");
});

it.each([
  ["tools that are there", []],
  ["tools that a function gives", () => []],
])("approval options that are none are refused with %s", (_name, tools) => {
  const model = scriptedModel();
  for (const requireApproval of ["yes", { pay: "yes" }, 1] as never[]) {
    expect(() => createAgent({ model, tools, requireApproval })).toThrow(/requireApproval/);
    expect(() => createAgent({ model, tools, toolsNode: { requireApproval } })).toThrow(/requireApproval/);
  }
});
