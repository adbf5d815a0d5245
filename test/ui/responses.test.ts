import { AsyncLocalStorage } from "node:async_hooks";
import { createTool, functionToolCall, KumikoError, memoryStore } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { agUi, errorResponse, eventLog, type ResponseError, readUiRequest, sse, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { dataOf, numbered, result, streamOf, usage } from "./hand-made.js";

const secret = "postgres://admin:hunter2@10.0.0.7";
const ids = { threadId: "u-1", runId: "r-1" };

type Respond = (stream: AsyncIterable<AgentEvent>, options?: object) => Promise<Response>;

const ways: readonly (readonly [string, Respond])[] = [
  ["uiMessageStream", (stream, options) => uiMessageStream(stream, options)],
  ["agUi", (stream, options) => agUi(stream, { ...ids, ...options })],
  ["sse", (stream, options) => sse(stream, options)],
];

function failing(error: Error): AsyncIterable<AgentEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

describe.each(ways)("%s", (_name, respond) => {
  it.each([
    ["INVALID_REQUEST", 400],
    ["ANSWER_MISMATCH", 400],
    ["UNKNOWN_CHECKPOINT", 404],
    ["THREAD_OF_OTHER_USER", 404],
    ["THREAD_WAITING", 409],
    ["UNKNOWN_TOOL", 409],
    ["MODEL_FAILED", 500],
  ])(
    "answers %s before the first event with status %i, and only a mistake of the client with its text",
    async (code, status) => {
      const response = await respond(failing(new KumikoError(code as never, secret)));
      expect([response.status, await response.json()]).toEqual([
        status,
        { error: { code, message: status === 400 ? secret : "An error occurred." } },
      ]);
      expect(response.headers.get("content-type")).toBe("application/json");
    },
  );

  it("answers an error event that comes first in the same way", async () => {
    const first = numbered([{ type: "error", error: { code: "THREAD_BUSY", name: "KumikoError", message: secret } }]);
    const response = await respond(streamOf(first, new Error("no")), { headers: { "x-id": "7" } });
    expect([response.status, response.headers.get("retry-after"), response.headers.get("x-id")]).toEqual([
      409,
      "1",
      "7",
    ]);
    expect(await response.text()).not.toContain(secret);
  });

  it("answers a stream without events with 204", async () => {
    const response = await respond(streamOf([]));
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("lets no text of an error out, unless onError says so", async () => {
    const deeper = { agentPath: ["agent", "inner"], parentCallId: "c1", runId: "run-2" };
    const mcp = {
      type: "mcp_tool_result",
      serverLabel: "s",
      callId: "m1",
      name: "t",
      content: "",
      error: { message: secret },
    };
    const told = numbered([
      { type: "start" },
      { type: "step_start" },
      { type: "tool_call", callId: "c1", name: "pay", arguments: "{}" },
      { type: "error", error: { name: "Error", message: secret }, ...deeper },
      ...["retriever_failed", "rerank_failed"].map((kind) => {
        return {
          type: "tool_progress" as const,
          callId: "c1",
          value: { kind, error: { message: secret }, message: secret },
        };
      }),
      { type: "tool_progress", callId: "c1", value: { kind: "payment_failed", message: "too little money" } },
      {
        type: "tool_result",
        callId: "c2",
        name: "pay",
        message: result("c2", "pay", secret, { isError: true, errorKind: "timeout" }),
        ...deeper,
      },
      {
        type: "tool_result",
        callId: "c1",
        name: "pay",
        message: result("c1", "pay", secret, { isError: true, errorKind: "denied" }),
      },
      { type: "block", block: mcp as never },
      { type: "message", message: { role: "assistant", contentBlocks: [mcp as never] } },
      { type: "error", error: { code: "MODEL_FAILED", name: "KumikoError", message: secret } },
    ]);
    expect(await (await respond(streamOf(told, new Error(secret)))).text()).not.toContain("hunter2");
    const seen: ResponseError[] = [];
    const onError = (error: ResponseError): string => `masked ${seen.push(error)}`;
    const text = await (await respond(streamOf(told, new Error(secret)), { onError })).text();
    expect(text).toContain("masked");
    expect(text).toContain("too little money");
    expect(text).not.toContain("hunter2");
    expect(seen).toContainEqual({ code: "MODEL_FAILED", name: "KumikoError", message: secret });
    expect(seen).toContainEqual({
      name: "ToolError",
      message: secret,
      tool: { name: "pay", callId: "c2", kind: "timeout" },
    });
    expect(seen.filter(({ tool }) => tool?.kind === "denied")).toEqual([]);
    const throwing = (): string => {
      throw new Error(secret);
    };
    const neutral = await (await respond(streamOf(told, new Error(secret)), { onError: throwing })).text();
    expect(neutral).toContain("An error occurred.");
    expect(neutral).not.toContain("hunter2");
  });

  it("runs in the context of the caller", async () => {
    const scope = new AsyncLocalStorage<string>();
    let seen: string | undefined;
    const who = createTool({
      id: "who",
      description: "",
      inputSchema: { type: "object" },
      execute: () => {
        seen = scope.getStore();
        return "x";
      },
    });
    const model = scriptedModel([functionToolCall({ callId: "1", name: "who", arguments: "{}" })], "done");
    const agent = createAgent({ model, tools: [who] });
    const response = await scope.run("ann", () => respond(agent.stream("x")));
    await response.text();
    expect(seen).toBe("ann");
  });

  it("sends a comment line when there is silence", async () => {
    let more = (): void => undefined;
    const silence = new Promise<void>((resolve) => {
      more = resolve;
    });
    async function* slow(): AsyncGenerator<AgentEvent, void> {
      const [first, ...others] = numbered([{ type: "start" }, { type: "finish", finishReason: "stop", usage }]);
      if (first !== undefined) yield first;
      await silence;
      yield* others;
    }
    const reader = (await respond(slow(), { heartbeatMs: 5 })).body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes("\n:\n\n")) text += decoder.decode((await reader?.read())?.value);
    more();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      text += decoder.decode(read.value);
    const quiet = await (await respond(slow(), { heartbeatMs: false })).text();
    expect(text.replaceAll(":\n\n", "")).toBe(quiet);
  });

  it.each([
    [{ onError: "no" }, "onError of"],
    [{ heartbeatMs: 0 }, "heartbeatMs of"],
    [{ heartbeatMs: true }, "heartbeatMs of"],
  ])("refuses %j", async (options, problem) => {
    await expect(respond(streamOf([]), options)).rejects.toThrow(problem);
  });

  it("tells of an abort as such", async () => {
    const controller = new AbortController();
    const wait = createTool({
      id: "wait",
      description: "",
      inputSchema: { type: "object" },
      execute: async (_input, { signal }) => {
        controller.abort(new Error(secret));
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          if (signal.aborted) reject(signal.reason);
        });
      },
    });
    const model = scriptedModel([functionToolCall({ callId: "1", name: "wait", arguments: "{}" })], "done");
    const agent = createAgent({ model, tools: [wait] });
    const text = await (await respond(agent.stream("x", { signal: controller.signal }))).text();
    expect(text).toMatch(/"type":"abort"|ABORTED/);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain('"type":"error","errorText"');
  });
});

describe("errorResponse", () => {
  it("answers what is thrown before there is a stream", async () => {
    const thrown = (() => {
      try {
        return readUiRequest({});
      } catch (error) {
        return error;
      }
    })();
    const bad = errorResponse(thrown, { headers: { "x-id": "7" } });
    expect([bad.status, bad.headers.get("x-id")]).toEqual([400, "7"]);
    expect(await bad.json()).toMatchObject({
      error: { code: "INVALID_REQUEST", message: expect.stringContaining("id of") },
    });
    const broken = errorResponse(new Error(secret), { onError: ({ name }) => `${name}!` });
    expect([broken.status, await broken.json()]).toEqual([500, { error: { message: "Error!" } }]);
    expect(() => errorResponse(thrown, { header: {} } as never)).toThrow("Did you mean");
  });
});

describe("a stream of a run that goes on after an answer", () => {
  const pay = createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object", properties: { amount: { type: "number" } } },
    requireApproval: true,
    execute: () => "paid",
  });

  it("introduces the calls of the answer before it, also in a replay", async () => {
    const store = memoryStore();
    const call = functionToolCall({ callId: "p1", name: "pay", arguments: '{"amount":3}' });
    const agent = createAgent({ store, tools: [pay], model: scriptedModel([call], "It is paid.") });
    const held = await agent.generate("pay", { threadId: "t" });
    const answers = { [held.interrupts[0]?.id ?? ""]: { approved: true } };
    const log = eventLog(store);
    const live = await dataOf(await uiMessageStream(log.record("t", agent.resumeStream({ threadId: "t" }, answers))));
    const about = (chunks: readonly Record<string, unknown>[]) =>
      chunks.filter(({ toolCallId }) => toolCallId === "p1").map(({ type, input }) => [type, input]);
    expect(about(live)).toEqual([
      ["tool-input-available", { amount: 3 }],
      ["tool-output-available", undefined],
    ]);
    expect(about(await dataOf(await uiMessageStream(log.replay("t"))))).toEqual(about(live));
  });
});

describe("a tool of the client that has failed", () => {
  const fields = { id: "where", description: "Where is the user?", inputSchema: { type: "object" } } as const;
  const part = (data: object) => [
    { type: "step-start" },
    { type: "data-interrupt", data },
    { type: "tool-where", toolCallId: "c1", state: "output-error", errorText: "no GPS" },
  ];

  it.each([
    ["without a schema", createTool(fields)],
    ["with a schema", createTool({ ...fields, outputSchema: { type: "object", required: ["latitude"] } })],
  ])("is a failed result for the model, whatever happens to other errors: %s", async (_name, where) => {
    const call = functionToolCall({ callId: "c1", name: "where", arguments: "{}" });
    const agent = createAgent({
      store: memoryStore(),
      tools: [where],
      model: scriptedModel([call], "I see."),
      onToolError: "throw",
    });
    const held = await agent.generate("where am I?", { threadId: "c" });
    const [{ id, info } = { id: "", info: undefined }] = held.interrupts;
    const body = { id: "c", messages: [{ id: "2", role: "assistant", parts: part({ id, info, toolCallId: "c1" }) }] };
    const { threadId, answers } = readUiRequest(body);
    expect(answers).toEqual({ [id]: { "~error": "no GPS" } });
    const { text, messages } = await agent.resume({ threadId }, answers);
    expect(text).toBe("I see.");
    expect(messages.flatMap(({ contentBlocks }) => contentBlocks)).toContainEqual(
      expect.objectContaining({ callId: "c1", isError: true, errorKind: "execution", result: "no GPS" }),
    );
  });

  it("is no answer to other questions", async () => {
    const ask = createTool({
      id: "ask",
      description: "",
      inputSchema: { type: "object" },
      execute: async (_input, ctx) => JSON.stringify(await ctx.ask("q", { kind: "other" }, { type: "string" })),
    });
    const call = functionToolCall({ callId: "c1", name: "ask", arguments: "{}" });
    const agent = createAgent({ store: memoryStore(), tools: [ask], model: scriptedModel([call], "done") });
    const held = await agent.generate("x", { threadId: "c" });
    await expect(
      agent.resume({ threadId: "c" }, { [held.interrupts[0]?.id ?? ""]: { "~error": "no" } }),
    ).rejects.toMatchObject({ code: "ANSWER_MISMATCH" });
  });
});
