import {
  type AgenticMessage,
  concatMessages,
  KumikoError,
  type RunOptions,
  runnable,
  textOf,
  userMessage,
} from "kumiko";
import { toolInfo } from "kumiko/components";
import { type AiSdkModel, aiSdkModel } from "kumiko/models";
import { modelConformance } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import {
  fakeProvider,
  finish,
  metadata,
  type Part,
  saying,
  start,
  stop,
  streamOf,
  text,
  usage,
} from "./fake-provider.js";

const question = [userMessage("Hi")];

async function chunksOf(model: AiSdkModel, options?: RunOptions): Promise<AgenticMessage[]> {
  const chunks: AgenticMessage[] = [];
  for await (const chunk of runnable(aiSdkModel(model)).stream(question, options)) chunks.push(chunk);
  return chunks;
}

const streamed = async (parts: readonly unknown[]): Promise<AgenticMessage> =>
  concatMessages(await chunksOf(fakeProvider([parts])));

/** What it fails with, without the node around it. */
async function failureOf(work: Promise<unknown>): Promise<Error & { code?: string }> {
  const error = await work.then(
    () => new Error("did not fail"),
    (thrown: unknown) => thrown as Error,
  );
  return KumikoError.is(error) && error.code === "NODE_FAILED" ? (error.cause as Error) : error;
}

const codeOf = async (parts: readonly unknown[]): Promise<string | undefined> =>
  (await failureOf(streamed(parts))).code;

describe("the model", () => {
  it.each(modelConformance(() => aiSdkModel(alternating()), { messages: question }))("$name", ({ run }) => run());

  /** Gives the same answer to both methods. */
  function alternating(): AiSdkModel {
    const streaming = fakeProvider([saying("Hello")]);
    const content = [{ type: "text", text: "Hello" }];
    const whole = fakeProvider([[{ content, response: { ...metadata } }]]);
    return { ...streaming, doGenerate: whole.doGenerate };
  }

  it("says what has answered, and how it ended", async () => {
    const { id, responseMeta } = await streamed(saying("Hello"));
    expect(id).toBe("r1");
    expect(responseMeta).toStrictEqual({
      tokenUsage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
      finishReason: "stop",
      rawFinishReason: "stop",
      model: "fake.chat/one",
      extension: { provider: "fake.chat", id: "r1", modelId: "one-2026", timestamp: "1970-01-01T00:00:00.000Z" },
    });
  });

  it("writes each chunk as it comes", async () => {
    const parts = [
      start,
      { type: "text-start", id: "a" },
      ...["To ", "be"].map((delta) => ({ type: "text-delta", id: "a", delta })),
      finish,
    ];
    const chunks = await chunksOf(fakeProvider([parts]));
    expect(chunks.flatMap(({ contentBlocks }) => contentBlocks)).toEqual([
      { type: "assistant_gen_text", text: "To ", streamingMeta: { index: 0 } },
      { type: "assistant_gen_text", text: "be", streamingMeta: { index: 0 } },
    ]);
  });

  it("is read to no more than its reader wants", async () => {
    let pulled = 0;
    const endless = new ReadableStream<unknown>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue({ type: "text-delta", id: "0", delta: "a" });
        },
      },
      { highWaterMark: 0 },
    );
    for await (const chunk of runnable(aiSdkModel(fakeProvider([endless]))).stream(question)) {
      expect(textOf(chunk)).toBe("a");
      break;
    }
    expect(pulled).toBeLessThan(4);
  });

  it("lets go of a connection whose reader has gone while a read was pending", async () => {
    let cancelled = false;
    let signal: AbortSignal | undefined;
    const silent = new ReadableStream<unknown>({
      cancel() {
        cancelled = true;
      },
    });
    const fake = fakeProvider([silent]);
    const model: AiSdkModel = {
      ...fake,
      doStream: (call: { abortSignal: AbortSignal }) => {
        signal = call.abortSignal;
        return fake.doStream(call as never);
      },
    };
    const reader = runnable(aiSdkModel(model)).stream(question);
    const pending = reader.next().catch(() => "stopped");
    while (signal === undefined) await Promise.resolve();
    await reader.cancel();
    await expect(pending).resolves.toBe("stopped");
    expect([signal.aborted, cancelled]).toEqual([true, true]);
  });

  it("rejects with the reason of its signal, also when the package does not listen to it", async () => {
    const abort = new AbortController();
    const reading = runnable(aiSdkModel(fakeProvider([new ReadableStream<unknown>()]))).stream(question, {
      signal: abort.signal,
    });
    const pending = failureOf(reading.next());
    const reason = new Error("enough");
    abort.abort(reason);
    expect(await pending).toBe(reason);
  });
});

describe("bad answers", () => {
  it("that are cut off reject with STREAM_CUT", async () => {
    const unfinished = [start, metadata, ...text("To be or")];
    const other = (finishReason: unknown) => [...unfinished, { type: "finish", finishReason, usage: {} }];
    expect(await codeOf(unfinished)).toBe("STREAM_CUT");
    expect(await codeOf(other({ unified: "interrupted", raw: undefined }))).toBe("STREAM_CUT");
    expect(await codeOf(other({ unified: "other", raw: undefined }))).toBe("STREAM_CUT");
    expect(await codeOf(other("unknown"))).toBe("STREAM_CUT");
    const broken = Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET" } });
    expect(await codeOf([...unfinished, broken])).toBe("STREAM_CUT");
  });

  it("that end for a reason without a word of its own are whole", async () => {
    const { responseMeta } = await streamed([
      start,
      ...text("a"),
      { ...finish, finishReason: { unified: "other", raw: "pause_turn" } },
    ]);
    expect(responseMeta).toMatchObject({ finishReason: "other", rawFinishReason: "pause_turn" });
    expect(
      (await streamed([start, ...text("a"), { ...finish, finishReason: "content-filter" }])).responseMeta?.finishReason,
    ).toBe("content_filter");
  });

  it("with nothing in them reject with EMPTY_STREAM, ten times as well as once", async () => {
    const model = fakeProvider([[start, finish]]);
    for (let time = 0; time < 10; time += 1) expect((await failureOf(chunksOf(model))).code).toBe("EMPTY_STREAM");
    expect(await codeOf([start, { ...finish, finishReason: "unknown" }])).toBe("EMPTY_STREAM");
    expect((await streamed([start, metadata, finish])).contentBlocks).toEqual([]);
  });

  it("that the provider calls an error reject with MODEL_FAILED", async () => {
    expect(await codeOf([start, ...text("a"), { ...finish, finishReason: { unified: "error", raw: "failed" } }])).toBe(
      "MODEL_FAILED",
    );
    const generated = fakeProvider([[{ finishReason: { unified: "error", raw: undefined } }]]);
    expect((await failureOf(runnable(aiSdkModel(generated)).invoke(question))).code).toBe("MODEL_FAILED");
  });

  it("reject with the first of several errors", async () => {
    const first = new Error("first");
    const parts = [start, ...text("a"), { type: "error", error: first }, { type: "error", error: new Error("second") }];
    expect(await failureOf(streamed(parts))).toBe(first);
    const sent = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const failure = await failureOf(streamed([start, { type: "error", error: sent }]));
    expect(failure).toMatchObject({ code: "MODEL_FAILED", cause: sent });
    expect(failure.message).toContain("Overloaded");
  });

  it("without an id of their own have none", async () => {
    expect(await streamed([start, ...text("a"), finish])).not.toHaveProperty("id");
  });

  it("with several finishes are one message: the last reason, the largest counts", async () => {
    const { responseMeta, contentBlocks } = await streamed([
      start,
      ...text("a"),
      { ...finish, finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: usage(9, 2) },
      ...text("b"),
      { ...finish, usage: usage(3, 5) },
    ]);
    expect(responseMeta).toMatchObject({
      finishReason: "stop",
      tokenUsage: { promptTokens: 9, completionTokens: 5 },
    });
    expect(contentBlocks).toHaveLength(2);
  });

  it("keep parts that nobody knows, and leave out those that say nothing", async () => {
    const strange = { type: "hologram", rays: [1, 2], at: new Date(0), id: "h" };
    const parts = [
      start,
      { type: "ping" },
      { type: "raw", rawValue: { a: 1 } },
      strange,
      null,
      5,
      ...text("a"),
      finish,
    ];
    expect((await streamed(parts)).contentBlocks).toStrictEqual([
      {
        type: "extension",
        provider: "fake.chat",
        kind: "hologram",
        data: { ...strange, at: "1970-01-01T00:00:00.000Z" },
      },
      { type: "assistant_gen_text", text: "a" },
    ]);
  });

  it("with ids that come twice keep both blocks", async () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "now", input: "{}" };
    const { contentBlocks } = await streamed([start, ...text("a"), ...text("b"), call, call, finish]);
    expect(contentBlocks.map(({ type }) => type)).toEqual([
      "assistant_gen_text",
      "assistant_gen_text",
      "function_tool_call",
      "function_tool_call",
    ]);
    const open = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "x" },
    ];
    expect((await streamed([start, ...open, ...open, finish])).contentBlocks).toHaveLength(2);
  });

  it("with arguments that are cut off keep what there is", async () => {
    const parts = [
      start,
      { type: "tool-input-start", id: "1", toolName: "now" },
      { type: "tool-input-delta", id: "1", delta: '{"city":"Ky' },
      { ...finish, finishReason: { unified: "length", raw: "max_tokens" } },
    ];
    expect((await streamed(parts)).contentBlocks).toStrictEqual([
      { type: "function_tool_call", callId: "1", name: "now", arguments: '{"city":"Ky' },
    ]);
  });

  it("without usage have none", async () => {
    const bare = { type: "finish", finishReason: stop };
    expect((await streamed([start, ...text("a"), bare])).responseMeta).not.toHaveProperty("tokenUsage");
    const empty = { ...bare, usage: { inputTokens: {}, outputTokens: { total: undefined } } };
    expect((await streamed([start, ...text("a"), empty])).responseMeta).not.toHaveProperty("tokenUsage");
  });

  it("of five megabytes in one chunk come through", async () => {
    const long = "漢".repeat(1_700_000);
    expect(textOf(await streamed(saying(long)))).toBe(long);
  });
});

describe("calls", () => {
  const begun = (more: Part = {}): Part[] => [
    start,
    { type: "tool-input-start", id: "1", toolName: "search", ...more },
    { type: "tool-input-delta", id: "1", delta: '{"q":' },
    { type: "tool-input-delta", id: "1", delta: '"tea"}' },
    { type: "tool-input-end", id: "1" },
  ];
  const call = { type: "tool-call", toolCallId: "1", toolName: "search", input: '{"q":"tea"}' };

  it("are not doubled by the part that has them whole", async () => {
    const chunks = await chunksOf(fakeProvider([[...begun(), call, finish]]));
    expect(concatMessages(chunks).contentBlocks).toStrictEqual([
      { type: "function_tool_call", callId: "1", name: "search", arguments: '{"q":"tea"}' },
    ]);
    expect(chunks.length).toBeGreaterThan(3);
  });

  it("are what the whole part says, where that says something else", async () => {
    const other = { ...call, input: '{"q": "coffee"}' };
    expect((await streamed([...begun(), other, finish])).contentBlocks).toStrictEqual([
      { type: "function_tool_call", callId: "1", name: "search", arguments: '{"q": "coffee"}' },
    ]);
    const asText = [...begun({ inputEncoding: "text" }), { ...call, input: '"{\\"q\\":\\"tea\\"}"' }, finish];
    expect((await streamed(asText)).contentBlocks).toMatchObject([{ arguments: '"{\\"q\\":\\"tea\\"}"' }]);
  });

  it("that turn out to be the provider's own are its calls, and have results", async () => {
    const served = { ...call, providerExecuted: true };
    const result = (hits: number, more: Part = {}) => ({
      type: "tool-result",
      toolCallId: "1",
      toolName: "search",
      result: { hits },
      ...more,
    });
    const parts = [...begun(), served, result(1, { preliminary: true }), result(2, { isError: true }), finish];
    expect((await streamed(parts)).contentBlocks).toStrictEqual([
      {
        type: "server_tool_call",
        name: "search",
        callId: "1",
        arguments: '{"q":"tea"}',
        extra: { provider: "fake.chat" },
      },
      {
        type: "server_tool_result",
        name: "search",
        callId: "1",
        content: { hits: 2 },
        extra: { provider: "fake.chat", isError: true },
      },
    ]);
  });

  it("of MCP servers have their label, approval and result", async () => {
    const served = { ...call, providerExecuted: true, dynamic: true };
    const result = {
      type: "tool-result",
      toolCallId: "1",
      toolName: "search",
      result: { serverLabel: "tea", output: "ok" },
    };
    const ask = { type: "tool-approval-request", approvalId: "a1", toolCallId: "1" };
    expect((await streamed([start, served, ask, result, finish])).contentBlocks).toMatchObject([
      { type: "mcp_tool_call", serverLabel: "tea", callId: "1", name: "search", arguments: '{"q":"tea"}' },
      { type: "mcp_tool_approval_request", id: "a1", name: "search", arguments: '{"q":"tea"}', extra: { callId: "1" } },
      { type: "mcp_tool_result", serverLabel: "tea", callId: "1", content: '{"serverLabel":"tea","output":"ok"}' },
    ]);
  });
});

describe("a call", () => {
  async function sentBy(
    version: "v2" | "v3" | "v4",
    options: object,
    messages: AgenticMessage[] = question,
  ): Promise<Part> {
    const fake = fakeProvider([[{}]], { version });
    await runnable(aiSdkModel(fake)).invoke(messages, { options: { model: { ...options } } });
    const { abortSignal, ...call } = fake.calls[0] ?? {};
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    return call;
  }
  const tools = [
    toolInfo({ name: "now", description: "The time.", extra: { strict: true } }),
    toolInfo({ name: "then" }),
  ];

  it("has the options in the words of the spec", async () => {
    const options = {
      temperature: 0,
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      stop: ["END"],
      seed: 1,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseFormat: { type: "json", schema: { type: "object" }, name: "output" },
      reasoning: "low",
      headers: { "x-a": "b" },
      providerOptions: { fake: { tier: "flex" } },
    };
    const { prompt, ...call } = await sentBy("v4", options);
    const { stop: stopSequences, ...same } = options;
    expect(call).toStrictEqual({ ...same, stopSequences });
    expect(prompt).toStrictEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    expect(await sentBy("v3", { reasoning: "low" })).not.toHaveProperty("reasoning");
  });

  it("warns of an option that does not exist, which may be meant for another model of the run", async () => {
    const events: unknown[] = [];
    const callbacks = [{ onEvent: (_: unknown, event: unknown) => void events.push(event) }];
    const model = fakeProvider([[{ content: [{ type: "text", text: "Hi" }] }]]);
    await runnable(aiSdkModel(model)).invoke(question, { callbacks, options: { model: { maxTokens: 5 } } });
    expect(events).toMatchObject([
      {
        kind: "model_warning",
        message: "options.maxTokens is ignored: unknown option. It is called maxOutputTokens here.",
      },
    ]);
    expect(model.calls[0]).not.toHaveProperty("maxTokens");
  });

  it("is not made if there is nothing to send", async () => {
    const model = fakeProvider([[{ content: [{ type: "text", text: "Hi" }] }]]);
    for (const messages of [[], [userMessage("")]])
      expect(await failureOf(runnable(aiSdkModel(model)).invoke(messages))).toMatchObject({ code: "INVALID_MESSAGE" });
    expect(model.calls).toEqual([]);
  });

  it("offers tools, the provider's own among them", async () => {
    const search = toolInfo({ name: "web", provider: { id: "fake.web_search", args: { size: 3 } } });
    const schema = { type: "object", properties: {}, additionalProperties: false };
    const offered = async (version: "v2" | "v3" | "v4") => (await sentBy(version, { tools: [tools[0], search] })).tools;
    const now = { type: "function", name: "now", description: "The time.", inputSchema: schema };
    const web = { id: "fake.web_search", name: "web", args: { size: 3 } };
    expect(await offered("v4")).toStrictEqual([
      { ...now, strict: true },
      { type: "provider", ...web },
    ]);
    expect(await offered("v2")).toStrictEqual([now, { type: "provider-defined", ...web }]);
  });

  it("says which tools may be called", async () => {
    const choice = async (toolChoice: unknown) => {
      const { toolChoice: sent, tools: offered } = await sentBy("v4", { tools, toolChoice });
      return [sent, (offered as Part[]).map(({ name }) => name)];
    };
    expect(await choice("none")).toEqual([{ type: "none" }, ["now", "then"]]);
    expect(await choice({ toolNames: ["then"] })).toEqual([{ type: "tool", toolName: "then" }, ["now", "then"]]);
    expect(await choice({ toolNames: ["then", "other"] })).toEqual([{ type: "required" }, ["then"]]);
    expect(await sentBy("v4", { toolChoice: "required" })).not.toHaveProperty("toolChoice");
  });

  it("warns once of each text, as a side event", async () => {
    const warning = { type: "unsupported", feature: "topK" };
    const content = {
      content: [{ type: "text", text: "a" }],
      warnings: [warning, warning, { type: "other", message: "Old." }],
    };
    const model = runnable(aiSdkModel(fakeProvider([[content]], { version: "v3" })));
    const told: unknown[] = [];
    const handler = { onEvent: (_: unknown, event: unknown) => told.push(event) };
    const options = { callbacks: [handler], options: { model: { reasoning: "low", model: "two" } as const } };
    await model.invoke(question, options);
    await model.invoke(question, options);
    expect(told).toMatchObject([
      { kind: "model_warning", message: expect.stringContaining('options.model "two" is ignored') },
      { kind: "model_warning", message: expect.stringContaining("options.reasoning") },
      { kind: "model_warning", model: "fake.chat/one", message: "unsupported: topK", warning },
      { kind: "model_warning", message: "Old." },
    ]);
  });
});

it.each([
  ["gpt-5", /not the name of one \(got "gpt-5"\)/],
  [
    Object.assign(() => undefined, { languageModel: () => undefined }),
    /If it is a provider, call it: openai\("gpt-5"\)/,
  ],
  [{ languageModel: () => undefined }, /got a provider/],
  [Promise.resolve({}), /a promise/],
  [{ ...fakeProvider([]), specificationVersion: "v9" }, /implements "v9"/],
  [undefined, /got undefined/],
  [{ generate: () => undefined }, /has no doGenerate/],
])("refuses what is no model: %o", (given, message) => {
  expect(() => aiSdkModel(given as never)).toThrow(message);
});

it("breaks where its stream breaks, with the error of the package", async () => {
  const broken = new Error("no luck");
  expect(await failureOf(chunksOf(fakeProvider([streamOf([start, ...text("a"), broken])])))).toBe(broken);
  expect(await failureOf(chunksOf(fakeProvider([broken])))).toBe(broken);
});
