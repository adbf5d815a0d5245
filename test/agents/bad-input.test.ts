import { Output } from "ai";
import { createTool, memoryStore, userMessage } from "kumiko";
import {
  approvals,
  calledTool,
  clearToolResults,
  createAgent,
  createMiddleware,
  subAgents,
  summarize,
  threads,
  trimMessages,
} from "kumiko/agents";
import { structured } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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
    ["the name of a model without a runtime that knows it", { model: "gpt-5" }, "NO_MODEL"],
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
    ["fallbacks that are no models", { model, fallbacks: [5] }, "INVALID_MODEL"],
    ["names of fallbacks that no runtime knows", { model, fallbacks: ["gpt-5"] }, "NO_MODEL"],
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
    const make = () =>
      createAgent({ model, tools: [tool], middleware: [approvals({ rules: [{ tool: "nothing", action: "ask" }] })] });
    expect(codeOf(make)).toBe("INVALID_OPTION");
  });

  it("the same names of no tool where tools are a function, before the first call", async () => {
    const tools = () => [tool];
    for (const options of [
      { middleware: [approvals({ rules: [{ tool: "nothing", action: "ask" }] })] },
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
      middleware: [
        brings,
        approvals({
          rules: [
            { tool: "own", action: "ask" },
            { tool: "theirs", action: "deny" },
          ],
        }),
      ],
      store: memoryStore(),
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
    ["tools without names", () => clearToolResults({ atTokens: 5, exclude: [1] as never })],
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

it("rules about calls that are none are refused, and so is the option of tools", () => {
  for (const rules of ["yes", [{ tool: "pay" }], [{ action: "ask" }], [{ tool: "pay", action: "maybe" }]] as never[])
    expect(codeOf(() => approvals({ rules }))).toBe("INVALID_OPTION");
  for (const rest of [{ when: true }, { key: "to" }, { reason: 1 }, { because: "x" }] as object[])
    expect(codeOf(() => approvals({ rules: [{ tool: "pay", action: "deny", ...rest }] }))).toBe("INVALID_OPTION");
  const make = () => createAgent({ model: scriptedModel(), requireApproval: true } as never);
  expect(make).toThrow("approvals({ rules:");
});

describe("a prompt that cannot work is refused at the call", () => {
  const prompts: readonly (readonly [string, unknown, string])[] = [
    ["an empty text", "", "prompt has no content"],
    ["a message without text", { role: "user", content: "" }, "prompt has no content"],
    ["a message without blocks", { role: "user", contentBlocks: [] }, "prompt has no content"],
    [
      "nothing but empty texts",
      [
        { role: "system", content: "" },
        { role: "assistant", content: "" },
      ],
      "prompt has no content",
    ],
    [
      "an empty message among others",
      [
        { role: "user", content: "Hi" },
        { role: "user", content: "" },
      ],
      "prompt[1] has no content",
    ],
    ["something else among messages", [{ role: "user", content: "Hi" }, 5], "got 5 as prompt[1]"],
    ["nothing at all", undefined, "as prompt"],
  ];
  it.each(prompts)("%s", async (_name, prompt, text) => {
    for (const threadId of [undefined, "t"])
      for (const way of ["generate", "stream"] as const) {
        const store = memoryStore();
        const model = scriptedModel("x");
        const agent = createAgent({ model, store });
        const given = [prompt as never, { threadId }] as const;
        const error = await failureOf(way === "generate" ? agent.generate(...given) : agent.stream(...given).result);
        expect(error).toMatchObject({ code: "INVALID_MESSAGE", message: expect.stringContaining(text) });
        expect(model.calls).toEqual([]);
        expect(await threads(store).messages("t")).toEqual([]);
      }
  });

  it("also by append, and by the graph", async () => {
    const all = threads(memoryStore());
    expect((await failureOf(all.append("t", []))).code).toBe("INVALID_MESSAGE");
    expect((await failureOf(all.append("t", [{ role: "user", content: "" }]))).message).toContain("messages[0]");
    expect(await all.messages("t")).toEqual([]);
    const { graph } = createAgent({ model: scriptedModel("x"), instructions: "Be brief." });
    expect((await failureOf(graph.invoke([]))).code).toBe("INVALID_MESSAGE");
    expect((await failureOf(graph.invoke([5] as never))).message).toContain("got 5 at position 0");
  });

  it("but a picture without a text is asked", async () => {
    const picture = { type: "user_input_image", base64Data: "AAAA", mimeType: "image/png" } as const;
    const agent = createAgent({ model: scriptedModel("A cat.") });
    expect((await agent.generate({ role: "user", contentBlocks: [picture] })).text).toBe("A cat.");
  });
});

describe("options of models that do not exist", () => {
  const wrong = { maxTokens: 5 } as never;
  it("are refused wherever an agent takes them, with the name that is meant", async () => {
    const model = scriptedModel("x");
    const text = expect.stringMatching(/"maxTokens".* It is called maxOutputTokens here/);
    const changing = createMiddleware({ name: "m", beforeStep: () => ({ options: wrong }) });
    const agent = createAgent({ model, store: memoryStore() });
    const errors = [
      await failureOf((async () => createAgent({ model, modelOptions: wrong }))()),
      await failureOf(agent.generate("Hi", { modelOptions: wrong })),
      await failureOf(agent.stream("Hi", { modelOptions: wrong }).result),
      await failureOf(agent.resume("r", undefined, { modelOptions: wrong })),
      await failureOf(createAgent({ model, middleware: [changing] }).generate("Hi")),
    ];
    for (const error of errors) expect(error).toMatchObject({ code: "INVALID_OPTION", message: text });
    expect(model.calls).toEqual([]);
  });
});

describe("an output that is not a schema", () => {
  const model = scriptedModel('{"wrong":1}');
  it.each([
    [
      "an output specification of the AI SDK",
      Output.object({ schema: z.object({ a: z.string() }) }),
      "output specification",
    ],
    ["a record of schemas", { a: z.string() }, "Wrap it: z.object({ a: … })"],
    ["an object of something else", { answer: "text" }, "without a keyword of JSON Schema (fields: answer)"],
    ["a schema with a function in it", { type: "object", properties: () => 1 }, 'a function as "properties"'],
    ["a class", class A {}, "a function"],
    ["a text", "string", "a string"],
  ])("is refused: %s", async (_name, output, text) => {
    expect(() => createAgent({ model, output: output as never })).toThrow(text);
    expect(() => structured(model, output as never)).toThrow(text);
  });

  it.each([[{}], [{ type: "object" }], [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }], [z.string()]])(
    "is not what is one: %j",
    (output) => {
      expect(() => createAgent({ model, output: output as never })).not.toThrow();
      expect(() => structured(model, output as never)).not.toThrow();
    },
  );
});

describe("what an error advises is accepted there", () => {
  it("where an option was given in the wrong place", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel("x"), store });
    const ofAgent = (await failureOf(agent.generate("Hi", { system: "Be brief." } as never))).message;
    expect(ofAgent).toContain("It is an option of an agent: createAgent({ instructions }).");
    const ofCall = await failureOf((async () => createAgent({ model: scriptedModel(), abortSignal: 1 } as never))());
    expect(ofCall.message).toContain("It is an option of a call: generate(prompt, { signal }).");
    const ofPrompt = (await failureOf(agent.resume("r", {}, { onBusy: "wait" } as never))).message;
    expect(ofPrompt).toContain("It is an option of a call: generate(prompt, { onBusy }).");
    const limit = (await failureOf(agent.generate("Hi", { maxTokens: 5 } as never))).message;
    expect(limit).toContain("It is called modelOptions: { maxOutputTokens } here.");
  });

  it("where a run has ended or was never there", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel("x"), store });
    await agent.generate("Hi", { checkpointId: "r" });
    for (const asked of [agent.resume("r"), agent.resumeStream("r").result, agent.fork("r")]) {
      const error = await failureOf(asked);
      expect(error).toMatchObject({
        code: "UNKNOWN_CHECKPOINT",
        message: expect.stringContaining("createAgent({ history: true })"),
      });
    }
    const kept = createAgent({ model: scriptedModel("x"), store, history: true });
    await kept.generate("Hi", { checkpointId: "s" });
    expect((await failureOf(kept.resume("s"))).code).toBe("CHECKPOINT_FINISHED");
    expect((await failureOf(kept.fork("s", { entry: "99" }))).message).toContain('agent.graph.history("s")');
    const lone = createAgent({ model: scriptedModel("x") });
    const needed = await failureOf(lone.generate("Hi", { writeToCheckpointId: "c" }));
    expect(needed).toMatchObject({ code: "NO_STORE", message: expect.stringContaining("createAgent({ store })") });
  });

  it("where a thread is busy", async () => {
    const store = memoryStore();
    let answer = (_text: string): void => undefined;
    const model = scriptedModel(() => new Promise<string>((resolve) => (answer = resolve)));
    const agent = createAgent({ model, store });
    const first = agent.generate("Hi", { threadId: "t" });
    while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await failureOf(agent.generate("Hi", { threadId: "t" }))).message).toContain('onBusy: "wait"');
    for (const asked of [agent.resume({ threadId: "t" }), threads(store).append("t", [userMessage("x")])]) {
      const error = await failureOf(asked);
      expect(error.code).toBe("THREAD_BUSY");
      expect(error.message).not.toContain("onBusy");
    }
    answer("Done.");
    await first;
  });

  it("where a policy of retries is wrong", () => {
    expect(() => createAgent({ model: scriptedModel(), retry: { tries: 3 } as never })).toThrow(
      /"tries" of the option retry of an agent/,
    );
  });
});
