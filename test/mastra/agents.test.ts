// Agents under Mastra's names: results, promises and chunks of streams, options of a call, approvals, and what is refused.
import { assistantMessage, functionToolCall, memoryStore, userMessage } from "kumiko";
import { approvals, type CallRule, createMiddleware, threads } from "kumiko/agents";
import {
  Agent,
  createStep,
  createTool,
  createWorkflow,
  Mastra,
  type MastraAgentOptions,
  type MastraChunk,
} from "kumiko/mastra";
import { createVectorQueryTool, memoryVectors } from "kumiko/rag";
import { scriptedModel } from "kumiko/testing";
import { uiMessageStream } from "kumiko/ui";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";

type Script = Parameters<typeof scriptedModel>[number][];

const usage = { tokenUsage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 } };
const calling =
  (name: string, input: object = {}, text = "", callId = "c1") =>
  () =>
    assistantMessage(
      [
        ...(text === "" ? [] : [{ type: "assistant_gen_text", text } as const]),
        functionToolCall({ callId, name, arguments: JSON.stringify(input) }),
      ],
      { responseMeta: { ...usage, model: "demo/m", finishReason: "tool_calls" } },
    );
const saying = (text: string) => () =>
  assistantMessage(text, { responseMeta: { ...usage, model: "demo/m", finishReason: "stop" } });

const weather = createTool({
  id: "weather",
  description: "Weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }, { writer }) => {
    await writer.write({ asked: city });
    return { city, degrees: 20 };
  },
});
const pay = createTool({
  id: "pay",
  description: "Pays.",
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: async ({ amount }) => ({ paid: amount }),
});
const ask = createTool({
  id: "ask",
  description: "Asks a person.",
  inputSchema: z.object({}),
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ answer: z.string() }),
  execute: async (_input, { suspend, resumeData }) =>
    resumeData === undefined ? suspend({ question: "Sure?" }) : `It is ${resumeData.answer}.`,
});

function agentWith(answers: readonly unknown[], more: Partial<MastraAgentOptions> = {}) {
  const model = scriptedModel(...(answers as Script));
  const agent = new Agent({
    id: "guide",
    name: "Guide",
    instructions: "Be brief.",
    model,
    tools: { weather, pay, ask },
    ...more,
  });
  const store = memoryStore();
  new Mastra({ agents: { agent }, storage: store, logger: false });
  return { agent, model, store };
}

const twoSteps = [calling("weather", { city: "Kyoto" }, "Let me see. "), saying("It is warm.")];

async function read<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream as ReadableStream<T> & AsyncIterable<T>) chunks.push(chunk);
  return chunks;
}
const typesOf = (chunks: readonly MastraChunk[]) => chunks.map(({ type }) => type);

describe("the result of an agent", () => {
  it("has the names of Mastra, and those of kumiko/agents", async () => {
    const result = await agentWith(twoSteps).agent.generate("Weather?");
    const call = { toolCallId: "c1", toolName: "weather", args: { city: "Kyoto" } };
    expect(result).toMatchObject({
      text: "Let me see. It is warm.",
      object: undefined,
      finishReason: "stop",
      toolCalls: [{ type: "tool-call", from: "AGENT", runId: result.runId, payload: call }],
      toolResults: [{ type: "tool-result", payload: { ...call, result: { city: "Kyoto", degrees: 20 } } }],
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30, promptTokens: 20, completionTokens: 10 },
      totalUsage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
      error: undefined,
      tripwire: undefined,
      agent: "Guide",
      interrupts: [],
    });
    expect(result.steps).toMatchObject([
      { stepType: "initial", text: "Let me see. ", finishReason: "tool-calls", toolCalls: [{ payload: call }] },
      { stepType: "tool-result", text: "It is warm.", finishReason: "stop", toolCalls: [], usage: { inputTokens: 10 } },
    ]);
    expect(result.response.modelId).toBe("m");
    expect(result.response.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(result.response.messages[1]).toMatchObject({
      content: [{ type: "tool-result", toolCallId: "c1", output: { type: "json", value: { degrees: 20 } } }],
    });
    expect(JSON.parse(JSON.stringify({ ...result })).text).toBe("Let me see. It is warm.");
  });

  it("leaves failed calls out of toolResults", async () => {
    const { agent } = agentWith([calling("weather", { city: 1 }), saying("No.")]);
    const { toolCalls, toolResults } = await agent.generate("Weather?");
    expect([toolCalls.length, toolResults.length]).toEqual([1, 0]);
  });

  it("has the object of a schema of the call, and the agent stays as it is", async () => {
    const schema = z.object({ n: z.number() });
    const { agent, model } = agentWith(['{"n":3}', "three", '{"n":4}'], { tools: {} });
    const result = await agent.generate("Count", { structuredOutput: { schema } });
    expect([result.object, result.object.n, result.text]).toEqual([{ n: 3 }, 3, '{"n":3}']);
    expect((await agent.generate("Count")).object).toBeUndefined();
    expect((await agent.generate("Count", { structuredOutput: { schema } })).object).toEqual({ n: 4 });
    expect(model.calls[1]?.options).not.toHaveProperty("responseFormat");
  });
});

describe("the stream of an agent", () => {
  it("has promises of the parts of the result", async () => {
    const stream = await agentWith(twoSteps).agent.stream("Weather?");
    expect(stream.status).toBe("running");
    expect(await stream.text).toBe("It is warm.");
    expect(await stream.finishReason).toBe("stop");
    expect((await stream.usage).inputTokens).toBe(20);
    expect((await stream.totalUsage).outputTokens).toBe(10);
    expect((await stream.toolCalls)[0]?.payload.toolName).toBe("weather");
    expect((await stream.toolResults)[0]?.payload.result.degrees).toBe(20);
    expect((await stream.steps).length).toBe(2);
    expect((await stream.response).messages.length).toBe(3);
    expect([await stream.object, stream.error, stream.tripwire, stream.status]).toEqual([
      undefined,
      undefined,
      undefined,
      "success",
    ]);
    const full = await stream.getFullOutput();
    expect([full.text, full.runId]).toEqual(["Let me see. It is warm.", stream.runId]);
    await stream.consumeStream();
  });

  it("has web streams of chunks and of text, each from the beginning", async () => {
    const stream = await agentWith(twoSteps).agent.stream("Weather?");
    const chunks = await read(stream.fullStream);
    expect(typesOf(chunks).filter((type) => type !== "data-message")).toEqual([
      ...["start", "step-start", "text-start", "text-delta", "text-end"],
      ...["tool-call-input-streaming-start", "tool-call-delta", "tool-call-input-streaming-end", "tool-call"],
      ...["tool-output", "tool-result", "step-finish"],
      ...["step-start", "text-start", "text-delta", "text-end", "step-finish", "finish"],
    ]);
    expect(chunks.every(({ runId }) => runId === stream.runId)).toBe(true);
    expect(chunks.filter(({ from }) => from === "USER")).toMatchObject([
      { type: "tool-output", payload: { output: { asked: "Kyoto" }, toolCallId: "c1", toolName: "weather" } },
    ]);
    const result = chunks.find((chunk) => chunk.type === "tool-result");
    expect(result?.payload).toEqual({
      ...{ toolCallId: "c1", toolName: "weather", args: { city: "Kyoto" }, result: { city: "Kyoto", degrees: 20 } },
    });
    const ends = chunks.flatMap((chunk) => (chunk.type === "step-finish" ? [chunk.payload] : []));
    expect(ends).toMatchObject([
      { stepResult: { reason: "tool-calls", isContinued: true }, output: { text: "Let me see. " } },
      { stepResult: { reason: "stop", isContinued: false }, output: { usage: { inputTokens: 10 } } },
    ]);
    expect((await read(stream.textStream)).join("")).toBe("Let me see. It is warm.");
    expect(await read(stream.textStream)).toEqual(await read(stream.textStream));
    expect(typesOf(await read(stream.fullStream))).toEqual(typesOf(chunks));
  });

  it("grows an object, which is the last chunk before the end", async () => {
    const schema = z.object({ city: z.string(), degrees: z.number() });
    for (const tools of [{}, { weather }]) {
      const json = '{"city":"Kyoto","degrees":20}';
      const answer = "weather" in tools ? calling("final_answer", JSON.parse(json)) : json;
      const { agent } = agentWith([answer], { tools });
      const stream = await agent.stream("Weather?", { structuredOutput: { schema } });
      const grown = await read(stream.objectStream);
      expect(grown.at(-1)).toEqual({ city: "Kyoto", degrees: 20 });
      const chunks = await read(stream.fullStream);
      expect(chunks.find(({ type }) => type === "object-result")?.object).toEqual({ city: "Kyoto", degrees: 20 });
      expect(typesOf(chunks)).not.toContain("tool-call");
      const text = chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.payload.text] : [])).join("");
      expect(text).toBe(json);
      expect([await stream.object, await stream.text]).toEqual([{ city: "Kyoto", degrees: 20 }, json]);
      expect(await stream.toolCalls).toEqual([]);
    }
    const plain = await agentWith(["Hi"]).agent.stream("Hi");
    expect(await read(plain.objectStream)).toEqual([]);
  });

  it("ends with a chunk `error`, keeps what there is, and tells the logger", async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const broken = () => {
      throw new Error("no service");
    };
    const agent = new Agent({
      name: "guide",
      model: scriptedModel(twoSteps[0] as never, broken),
      tools: { weather },
      maxRetries: 0,
    });
    new Mastra({ agents: { agent }, logger });
    const stream = await agent.stream("Weather?");
    const chunks = await read(stream.fullStream);
    const last = chunks.at(-1);
    expect(last?.type === "error" && last.payload.error.message).toContain("no service");
    expect(await stream.finishReason).toBe("error");
    expect(stream.error?.message).toContain("no service");
    await expect(stream.object).rejects.toThrow("no service");
    expect((await stream.toolResults).length).toBe(1);
    expect([(await stream.usage).inputTokens, stream.status]).toEqual([10, "failed"]);
    await expect(stream.getFullOutput()).rejects.toThrow("no service");
    const onError = vi.fn();
    await stream.consumeStream({ onError });
    expect([onError.mock.calls.length, logger.error.mock.calls.length]).toEqual([1, 1]);
    await expect(agent.generate("Weather?")).rejects.toThrow();
  });

  it("rejects object, and nothing else, if the answer does not fit the schema", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const schema = z.object({ n: z.number() });
    const { agent } = agentWith(['{"n":"x"}', '{"n":"y"}'], { tools: {} });
    const stream = await agent.stream("Count", { structuredOutput: { schema } });
    void stream.object; // nobody waits for it
    await read(stream.fullStream);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    await expect(stream.object).rejects.toMatchObject({ code: "INVALID_OUTPUT" });
    expect([await stream.finishReason, await stream.toolCalls, stream.status]).toEqual(["error", [], "failed"]);
    await Promise.all([stream.text, stream.usage, stream.response, stream.reasoningText, stream.suspendPayload]);
  });

  it("rejects if the run does not begin", async () => {
    const { agent } = agentWith(["Hi"]);
    await expect(agent.stream([{ role: "nobody", content: "x" }] as never)).rejects.toMatchObject({
      code: "INVALID_MESSAGE",
    });
  });

  it("is aborted by its signal, and when all its streams are left", async () => {
    const controller = new AbortController();
    const slow = createTool({
      id: "slow",
      description: "",
      inputSchema: z.object({}),
      execute: async (_input, { abortSignal }) =>
        new Promise<string>((_resolve, reject) =>
          abortSignal.addEventListener("abort", () => reject(abortSignal.reason)),
        ),
    });
    const more = { tools: { slow } };
    const aborted = await agentWith([calling("slow")], more).agent.stream("Go", { abortSignal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    const chunks = await read(aborted.fullStream);
    expect(chunks.at(-1)?.type).toBe("abort");
    expect([await aborted.finishReason, aborted.error, aborted.status]).toEqual(["aborted", undefined, "canceled"]);
    expect(await aborted.object).toBeUndefined();

    const left = await agentWith([calling("slow")], more).agent.stream("Go");
    const [text, full] = [left.textStream.getReader(), left.fullStream.getReader()];
    await full.read();
    await text.cancel();
    await full.read();
    await full.cancel();
    expect(await left.finishReason).toBe("aborted");
  });

  it("has the chunks of inner agents as the output of their call", async () => {
    const inner = new Agent({ name: "inner", description: "Answers.", model: scriptedModel("Inside.") });
    const { agent } = agentWith([calling("inner", { prompt: "?" }), saying("Done.")], {
      tools: { inner: inner.asTool() },
    });
    const chunks = await read((await agent.stream("Go")).fullStream);
    const outputs = chunks.flatMap((chunk) => (chunk.type === "tool-output" ? [chunk.payload] : []));
    expect(outputs.every(({ toolCallId, toolName }) => toolCallId === "c1" && toolName === "inner")).toBe(true);
    const text = outputs.flatMap(({ output }) => (output.type === "text-delta" ? [output.payload.text] : [])).join("");
    expect(text).toBe("Inside.");
  });

  it("gives its events to the responses of kumiko/ui", async () => {
    const stream = await agentWith(["Hi"]).agent.stream("Hi");
    const response = await uiMessageStream(stream.events);
    expect(await response.text()).toContain('"type":"text-delta"');
  });

  it("passes on the chunks that a tool writes, and tells other events as data", async () => {
    const writes = createTool({
      id: "writes",
      description: "",
      inputSchema: z.object({}),
      execute: async (_input, { writer }) => {
        await writer.custom({ type: "data-progress", data: { percent: 50 } });
        return "ok";
      },
    });
    const chunks = await read(
      (await agentWith([calling("writes"), "Done."], { tools: { writes } }).agent.stream("Go")).fullStream,
    );
    expect(chunks.find(({ type }) => type === "data-progress")).toMatchObject({ data: { percent: 50 } });
    expect(typesOf(chunks)).toContain("data-message");
  });
});

describe("a call of an agent", () => {
  it("sets options of the model", async () => {
    const { agent, model } = agentWith(["a", "b"]);
    await agent.generate("Hi", {
      modelSettings: { temperature: 0, maxOutputTokens: 5, stopSequences: ["x"] },
      providerOptions: { openai: { user: "u" } },
      toolChoice: { type: "tool", toolName: "weather" },
      maxSteps: 1,
    });
    expect(model.calls[0]?.options).toMatchObject({
      ...{ temperature: 0, maxOutputTokens: 5, stop: ["x"], providerOptions: { openai: { user: "u" } } },
      toolChoice: { toolNames: ["weather"] },
    });
    await agent.generate("Hi", { toolChoice: "none" });
    expect(model.calls[1]?.options).toMatchObject({ toolChoice: "none" });
  });

  it.each(["generate", "stream"] as const)("of %s tells of its steps and its end", async (method) => {
    const told: unknown[] = [];
    const { agent } = agentWith(twoSteps);
    const result = await agent[method]("Weather?", {
      runId: "r-1",
      onStepFinish: ({ text, finishReason, runId }) => void told.push([text, finishReason, runId]),
      onFinish: async ({ text, steps }) => void told.push([text, steps.length]),
      onError: () => void told.push("error"),
    });
    if ("consumeStream" in result) await result.consumeStream();
    expect(told).toEqual([
      ["Let me see. ", "tool-calls", "r-1"],
      ["It is warm.", "stop", "r-1"],
      ["Let me see. It is warm.", 2],
    ]);
    expect(result.runId).toBe("r-1");
  });

  it("tells of its failure, and of functions that throw only the logger", async () => {
    const broken = () => {
      throw new Error("no service");
    };
    const onError = vi.fn();
    const { agent } = agentWith([broken, "Hi"], { maxRetries: 0 });
    await expect(agent.generate("Hi", { onError })).rejects.toThrow("no service");
    expect(onError.mock.calls[0]?.[0].error.message).toContain("no service");
    expect((await agent.generate("Hi", { onFinish: broken })).text).toBe("Hi");
  });

  it("belongs to a user and a thread", async () => {
    const { agent, store } = agentWith(["a", "b", "c", "d"]);
    await agent.generate("One", { memory: { resource: "ann", thread: "t-1" } });
    const thread = { id: "t-1", title: "Weather", metadata: { color: "blue" } };
    const stream = await agent.stream("Two", { memory: { resource: "ann", thread } });
    expect(await stream.text).toBe("b");
    await agent.generate("Three", { memory: { resource: "ann", thread: { id: "t-1", metadata: { size: 1 } } } });
    const info = await threads(store, { userId: "ann" }).info("t-1");
    expect(info).toMatchObject({ userId: "ann", metadata: { title: "Weather", color: "blue", size: 1 }, turns: 3 });
    await expect(agent.generate("Mine?", { memory: { resource: "bob", thread: "t-1" } })).rejects.toMatchObject({
      code: "THREAD_OF_OTHER_USER",
    });
    for (const options of [
      { memory: { resource: undefined, thread: "t-1" } },
      { memory: { resource: "ann" } },
      { memory: { resource: "ann", thread: "t-1" }, userId: "ann" },
      { threadId: "t-1", userId: undefined },
    ]) {
      await expect(agent.generate("Hi", options as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });

  it.each([
    ["clientTools", "tools without execute"],
    ["toolsets", "new Agent({ tools })"],
    ["instructions", "new Agent({ instructions })"],
    ["activeTools", "beforeStep"],
    ["output", "structuredOutput"],
    ["temperature", "modelSettings: { temperature }"],
    ["context", "prompt"],
    ["resourceId", "memory: { resource, thread }"],
    ["maxStep", '"maxSteps"'],
  ])("refuses %s, and says what to use", async (name, advice) => {
    const { agent } = agentWith(["Hi"]);
    for (const method of ["generate", "stream"] as const) {
      const error = await agent[method]("Hi", { [name]: {} }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining(`"${name}"`) });
      expect((error as Error).message).toContain(advice);
    }
  });

  it("refuses parts of its options that have no effect here", async () => {
    const { agent } = agentWith(["Hi"]);
    const schema = z.object({});
    for (const [options, text] of [
      [{ modelSettings: { maxRetries: 1 } }, "new Agent({ maxRetries })"],
      [{ modelSettings: { temprature: 1 } }, '"temperature"'],
      [{ structuredOutput: { schema, model: "x" } }, "fallbacks"],
      [{ structuredOutput: {} }, "schema"],
      [{ structuredOutput: { schema: { n: z.number() } } }, "schema"],
      [{ memory: { thread: "t", options: {} } }, "trimMessages"],
      [{ requireToolApproval: () => true }, "requireApproval"],
      [{ onFinish: 1 }, "onFinish"],
      [{ runId: "" }, "runId"],
      [{ modelSettings: {}, modelOptions: {} }, "modelOptions"],
    ] as const) {
      const error = await agent.generate("Hi", options as never).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining(text) });
    }
  });
});

describe("a tool call that needs approval", () => {
  const asking = [calling("pay", { amount: 5 }), saying("Paid."), saying("Again.")];

  it("suspends the run, and goes on by the id of the run", async () => {
    const { agent } = agentWith(asking);
    const stream = await agent.stream("Pay");
    const chunks = await read(stream.fullStream);
    expect(chunks.at(-1)).toMatchObject({
      type: "tool-call-approval",
      payload: { toolCallId: "c1", toolName: "pay", args: { amount: 5 } },
    });
    expect(await stream.finishReason).toBe("suspended");
    expect([stream.status, (await stream.suspendPayload).toolCallId]).toEqual(["suspended", "c1"]);
    expect(JSON.parse((await stream.resumeSchema) ?? "")).toMatchObject({ required: ["approved"] });
    const resumed = await agent.approveToolCall({ runId: stream.runId, toolCallId: "c1" });
    expect(resumed.runId).toBe(stream.runId);
    const went = await read(resumed.fullStream);
    expect(went.find((chunk) => chunk.type === "tool-result")?.payload).toMatchObject({ result: { paid: 5 } });
    expect(await resumed.text).toBe("Paid.");
  });

  it("may be declined, and the model is told why", async () => {
    const { agent, model } = agentWith(asking);
    const waiting = await agent.generate("Pay");
    expect([waiting.finishReason, waiting.suspendPayload.args]).toEqual(["suspended", { amount: 5 }]);
    const stream = await agent.declineToolCall({ runId: waiting.runId, reason: "Too much." });
    const denied = (await read(stream.fullStream)).find((chunk) => chunk.type === "tool-output-denied");
    expect(denied?.payload.approval).toMatchObject({ approved: false });
    expect(await stream.toolResults).toEqual([]);
    expect(JSON.stringify(model.calls[1]?.messages)).toContain("Too much.");
  });

  it("may be asked for by the call, with any tool; the schema of the call is kept too", async () => {
    const schema = z.object({ n: z.number() });
    const { agent } = agentWith([calling("weather", { city: "Kyoto" }), calling("final_answer", { n: 1 })]);
    const options = { requireToolApproval: true, structuredOutput: { schema }, runId: "mine" };
    const waiting = await agent.generate("Weather?", options);
    expect(waiting.suspendPayload.toolName).toBe("weather");
    const stream = await agent.approveToolCall({ runId: "mine" });
    expect(await stream.object).toEqual({ n: 1 });
  });

  it("may be asked for by the call, where the agent has rules of its own", async () => {
    const rules: CallRule[] = [
      { tool: "weather", action: "allow" },
      { tool: "pay", action: "deny" },
    ];
    const { agent } = agentWith(
      [calling("pay", { amount: 5 }), calling("weather", { city: "Kyoto" }), saying("Warm.")],
      {
        middleware: [approvals({ rules })],
      },
    );
    const waiting = await agent.generate("Weather?", { requireToolApproval: true, runId: "mine" });
    expect(waiting.suspendPayload.toolName).toBe("weather");
    const stream = await agent.approveToolCall({ runId: "mine" });
    expect(await stream.text).toBe("Warm.");
  });

  it("goes on in another process, and in a thread", async () => {
    const store = memoryStore();
    const make = (answers: unknown[]) => agentWith(answers, { store }).agent;
    const waiting = await make(asking).generate("Pay", { threadId: "t-1" });
    const stream = await make([saying("Paid.")]).approveToolCall({ runId: waiting.runId });
    expect(await stream.text).toBe("Paid.");
    const named = await make(asking).generate("Pay", { memory: { thread: "t-2" }, runId: "r-2" });
    expect(named.runId).toBe("r-2");
  });

  it("is named if there are several", async () => {
    const both = () =>
      assistantMessage(
        ["a", "b"].map((callId) => functionToolCall({ callId, name: "pay", arguments: '{"amount":1}' })),
      );
    const { agent } = agentWith([both, saying("Paid.")]);
    const { runId } = await agent.generate("Pay");
    await expect(agent.approveToolCall({ runId })).rejects.toMatchObject({ code: "AMBIGUOUS_INTERRUPT" });
    await expect(agent.approveToolCall({ runId, toolCallId: "c" })).rejects.toMatchObject({
      code: "UNKNOWN_INTERRUPT",
    });
    await expect(agent.approveToolCall({} as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const first = await agent.approveToolCall({ runId, toolCallId: "a" });
    expect(await first.finishReason).toBe("suspended");
    const second = await agent.declineToolCall({ runId, toolCallId: "b" });
    expect([await second.text, (await second.toolResults).length]).toEqual(["Paid.", 1]);
  });

  it("of a tool that was suspended goes on with data", async () => {
    const { agent } = agentWith([calling("ask"), saying("Done."), calling("ask"), saying("Done.")]);
    const stream = await agent.stream("Ask");
    const last = (await read(stream.fullStream)).at(-1);
    expect(last).toMatchObject({ type: "tool-call-suspended", payload: { suspendPayload: { question: "Sure?" } } });
    const resumed = await agent.resumeStream({ answer: "fine" }, { runId: stream.runId });
    expect((await resumed.toolResults)[0]?.payload.result).toBe("It is fine.");
    const again = await agent.generate("Ask");
    expect((await agent.resumeGenerate({ answer: "x" }, { runId: again.runId })).text).toBe("Done.");
  });
});

describe("an agent", () => {
  it("tells its instructions, model, tools and description", async () => {
    const model = scriptedModel("Hi");
    const agent = new Agent({
      name: "guide",
      description: "Knows the way.",
      model,
      instructions: ({ requestContext }) => `Speak ${requestContext.get("language")}.`,
      tools: ({ requestContext }) => (requestContext.get("pro") ? { weather, pay } : { weather }),
    });
    const requestContext = { language: "French", pro: true };
    expect(await agent.getInstructions({ requestContext })).toBe("Speak French.");
    expect(Object.keys(await agent.listTools({ requestContext }))).toEqual(["weather", "pay"]);
    expect(Object.keys(await agent.getTools())).toEqual(["weather"]);
    expect([await agent.getModel(), agent.getDescription()]).toEqual([model, "Knows the way."]);
    const plain = new Agent({ name: "plain", model, tools: [weather] });
    expect([await plain.getInstructions(), plain.getDescription()]).toEqual(["", ""]);
    expect(Object.keys(await plain.listTools())).toEqual(["weather"]);
  });

  it.each([
    ["voice", "Speech"],
    ["scorers", "evaluate of kumiko/evals"],
    ["evals", "evaluate of kumiko/evals"],
    ["network", "handoffs"],
    ["workspace", "workspace of kumiko/workspace"],
    ["skills", "skills of kumiko/workspace"],
    ["requireApproval", "approvals"],
    ["goals", "stopWhen"],
    ["channels", "threadId"],
    ["memory", "trimMessages"],
    ["memory", "userProfile and recall"],
    ["inputProcessors", "guard or trimMessages"],
    ["outputProcessors", "guard"],
    ["agents", "asTool"],
    ["instruction", '"instructions"'],
  ])("refuses %s, and says what to use", (name, advice) => {
    const make = () => new Agent({ name: "guide", model: scriptedModel("Hi"), [name]: {} });
    expect(make).toThrow(`"${name}"`);
    expect(make).toThrow(advice);
  });

  it.each([
    ["voice", "speech service"],
    ["evals", "evaluate of kumiko/evals"],
    ["scorers", "evaluate of kumiko/evals"],
    ["network", "handoffs"],
    ["goals", "stopWhen"],
    ["channels", "threadId"],
    ["workspace", "workspace of kumiko/workspace"],
  ])("refuses %s for a Mastra and for a call, and says what to use", async (name, advice) => {
    expect(() => new Mastra({ [name]: {} })).toThrow(advice);
    const agent = new Agent({ name: "guide", model: scriptedModel("Hi") });
    await expect(agent.generate("Hi", { [name]: {} })).rejects.toThrow(advice);
    await expect(agent.stream("Hi", { [name]: {} })).rejects.toThrow(advice);
  });

  it("refuses scorers of steps, and says what to use", () => {
    const advice = "evaluate of kumiko/evals";
    const agent = new Agent({ name: "guide", model: scriptedModel("Hi") });
    const scorers = {};
    expect(() => createStep({ id: "s", execute: async () => 1, scorers } as never)).toThrow(advice);
    expect(() => createStep(agent, { scorers } as never)).toThrow(advice);
    expect(() => createStep(pay, { scorers } as never)).toThrow(advice);
  });

  it("has no networks", () => {
    const agent = new Agent({ name: "guide", model: scriptedModel("Hi") });
    expect(() => agent.network()).toThrow(/handoffs/);
  });

  it("finds the vector stores of its Mastra, also in a workflow", async () => {
    const main = memoryVectors();
    await main.createIndex({ indexName: "trees", dimension: 2 });
    await main.upsert({
      indexName: "trees",
      ids: ["a"],
      vectors: [[1, 0]],
      documents: ["Oak is hard."],
      metadata: [{}],
    });
    const look = createVectorQueryTool({ id: "look", vectorStoreName: "main", indexName: "trees" });
    const agent = new Agent({
      name: "guide",
      model: scriptedModel(calling("look", { queryText: "oak" }), "Hard."),
      tools: { look },
    });
    const workflow = createWorkflow({ id: "find" })
      .then(look as never)
      .commit();
    const mastra = new Mastra({ agents: { agent }, workflows: { workflow }, vectors: { main }, logger: false });
    expect([mastra.getVector("main"), Object.keys(mastra.listVectors())]).toEqual([main, ["main"]]);
    expect(() => mastra.getVector("other" as never)).toThrow(/vectors of new Mastra/);
    const { messages } = await agent.generate("Is oak hard?");
    expect(JSON.stringify(messages)).toContain("Oak is hard.");
    const run = await mastra.getWorkflow("workflow").createRunAsync();
    expect(await run.start({ inputData: { queryText: "oak" } as never })).toMatchObject({ status: "success" });
    expect(() => new Mastra({ vectors: { main: {} } })).toThrow(/a vector store/);
  });

  it("finds models by name in its Mastra", async () => {
    const asked: string[] = [];
    const model = scriptedModel("one", "two", "three");
    const languageModel = (name: string) => {
      asked.push(name);
      if (name.includes("/")) throw new Error("no such model");
      return model;
    };
    const agent = new Agent({ name: "guide", model: "openai/gpt-5" });
    expect(() => agent.graph).toThrow(expect.objectContaining({ code: "NO_MODEL" }));
    new Mastra({ agents: { agent }, models: { languageModel } });
    expect((await agent.generate("Hi")).text).toBe("one");
    const dynamic = new Agent({ name: "other", model: () => "openai:gpt-5" });
    new Mastra({ agents: { dynamic }, models: { languageModel } });
    expect((await dynamic.generate("Hi")).text).toBe("two");
    expect(asked).toEqual(["openai/gpt-5", "openai:gpt-5", "openai:gpt-5"]);
    expect(() => new Mastra({ models: 1 as never })).toThrow(/models/);
  });

  it("takes messages and middleware of kumiko/agents", async () => {
    const seen = vi.fn();
    const { agent } = agentWith(["Hi"], { middleware: [createMiddleware({ name: "seen", beforeStep: () => seen() })] });
    expect((await agent.generate([userMessage("Hi")])).text).toBe("Hi");
    expect(seen).toHaveBeenCalledOnce();
  });
});

describe("a runId of the caller, with a thread", () => {
  const inProcess = (storage: ReturnType<typeof memoryStore>, ...answers: unknown[]) => {
    const model = scriptedModel(...(answers as Script));
    const agent = new Agent({ id: "guide", name: "Guide", model, tools: { pay, ask } });
    new Mastra({ agents: { agent }, storage, logger: false });
    return agent;
  };
  const options = { runId: "mine/1", memory: { resource: "u", thread: "t" } };
  const names = async (storage: ReturnType<typeof memoryStore>) => {
    const found: string[] = [];
    for await (const id of storage.list("~mastra/")) found.push(id);
    return found;
  };

  it.each(["generate", "stream"] as const)("of %s is found by every process until the run ends", async (method) => {
    const storage = memoryStore();
    const first = await inProcess(storage, calling("pay", { amount: 5 }))[method]("Pay", options);
    expect([first.runId, await first.finishReason]).toEqual(["mine/1", "suspended"]);
    expect(await names(storage)).toHaveLength(1);
    const target = { runId: "mine/1", toolCallId: "c1" };
    const paying = await inProcess(storage, calling("ask", {}, "", "c2")).approveToolCall(target);
    expect([paying.runId, await paying.finishReason]).toEqual(["mine/1", "suspended"]);
    const done = await inProcess(storage, "Paid.").resumeGenerate({ answer: "yes" }, { runId: "mine/1" });
    expect([done.text, done.threadId]).toEqual(["Paid.", "t"]);
    expect(await names(storage)).toEqual([]);
    await expect(inProcess(storage).approveToolCall(target)).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });

  it("names the latest run that it was given to", async () => {
    const storage = memoryStore();
    const paying = () => inProcess(storage, calling("pay", { amount: 5 }));
    await paying().generate("Pay", options);
    await paying().generate("Pay", { ...options, memory: { resource: "u", thread: "other" } });
    const result = await (await inProcess(storage, "Paid.").approveToolCall({ runId: "mine/1" })).getFullOutput();
    expect([result.text, result.threadId]).toEqual(["Paid.", "other"]);
  });
});

it("names in its advice only what there is", async () => {
  const named = new Set<string>();
  const agentOptions = [
    "voice",
    "scorers",
    "network",
    "workspace",
    "goals",
    "channels",
    "memory",
    "agents",
    "workflows",
  ];
  const processors = ["inputProcessors", "outputProcessors", "errorProcessors", "defaultOptions", "skills"];
  for (const name of [...agentOptions, ...processors]) {
    const error = thrownBy(() => new Agent({ name: "guide", model: scriptedModel("Hi"), [name]: {} }));
    for (const [word] of error.message.split(" Options: ")[0]?.matchAll(/[a-z]+[A-Z]\w*/g) ?? []) named.add(word);
  }
  const known = { ...(await import("kumiko/agents")), ...(await import("kumiko/mastra")) };
  const options = ["stopWhen", "threadId", "modelOptions", "maxSteps", "beforeStep", "afterModel", "wrapModelCall"];
  const unknown = [...named].filter((word) => ![...agentOptions, ...processors, ...options].includes(word));
  const missing = unknown.filter((word) => !(word in known) && !(word in Agent.prototype));
  expect(missing).toEqual(["createRun"].filter((word) => named.has(word)));
});

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
