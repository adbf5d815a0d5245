import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";
import { userMessage } from "kumiko";
import { agUi, readAgUiRequest } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { dataOf, numbered, result, streamOf, usage, weatherRun } from "./hand-made.js";

type Told = Parameters<typeof numbered>[0];

/** The events as a client gets them; each fits the schemas of the protocol. */
async function told(events: Told, failure?: Error): Promise<Record<string, unknown>[]> {
  const response = await agUi(streamOf(numbered(events), failure), { threadId: "u-1", runId: "r" });
  const sent = await dataOf(response);
  for (const event of sent) EventSchemas.parse(event);
  return sent;
}

const start: Told = [{ type: "start" }, { type: "step_start" }];
const end: Told = [{ type: "finish", finishReason: "stop", usage }];
const types = (events: readonly Record<string, unknown>[]) => events.map(({ type }) => type);

describe("a run in AG-UI", () => {
  it("has a beginning and an end, with steps, reasoning, a call and a text between", async () => {
    const events = await told(weatherRun);
    expect(types(events)).toEqual([
      "RUN_STARTED",
      "STEP_STARTED",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "CUSTOM",
      "TOOL_CALL_RESULT",
      "STEP_FINISHED",
      "STEP_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
    expect(events[0]).toEqual({ type: "RUN_STARTED", threadId: "u-1", runId: "r" });
    expect(events[12]).toMatchObject({ toolCallId: "c1", content: '{"celsius":21}', role: "tool" });
    expect(events.at(-1)).toEqual({
      type: "RUN_FINISHED",
      threadId: "u-1",
      runId: "r",
      result: { finishReason: "stop" },
      outcome: { type: "success" },
      usage: [{ inputTokens: 10, outputTokens: 5, totalTokens: 15 }],
    });
  });

  it("gives a call that comes whole its arguments, and one that has none, none", async () => {
    const events = await told([
      ...start,
      { type: "tool_call", callId: "c1", name: "a", arguments: '{"b":1}' },
      { type: "tool_call", callId: "c2", name: "a", arguments: "" },
      ...end,
    ]);
    expect(types(events).slice(2, 7)).toEqual([
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_START",
      "TOOL_CALL_END",
    ]);
  });

  it("sends no empty piece of text", async () => {
    expect(types(await told([...start, { type: "text_delta", delta: "", index: 0 }, ...end]))).not.toContain(
      "TEXT_MESSAGE_CONTENT",
    );
  });

  it("ends what is open, and says what is void, when an answer begins again", async () => {
    const events = await told([
      ...start,
      { type: "text_delta", delta: "It", index: 0 },
      { type: "tool_call_start", callId: "c0", name: "a" },
      { type: "restart", reason: "retry" },
      { type: "text_delta", delta: "Hello", index: 0 },
      ...end,
    ]);
    const [first, second] = events
      .filter(({ type }) => type === "TEXT_MESSAGE_START")
      .map(({ messageId }) => messageId);
    expect(first).not.toBe(second);
    expect(events).toContainEqual({
      type: "CUSTOM",
      name: "restart",
      value: { reason: "retry", messageIds: [first], toolCallIds: ["c0"] },
    });
    expect(types(events).slice(2, 8)).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TOOL_CALL_START",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_END",
      "CUSTOM",
    ]);
  });

  it("tells of inner agents as its subagents", async () => {
    const inner = { agentPath: ["agent", "helper"], runId: "run-2", parentCallId: "c1" };
    const deeper = { agentPath: ["agent", "helper", "third"], runId: "run-3", parentCallId: "c2" };
    const events = await told([
      ...start,
      { type: "tool_call", callId: "c1", name: "helper", arguments: "{}" },
      { type: "start", ...inner },
      { type: "step_start", ...inner },
      { type: "text_delta", delta: "inner", index: 0, ...inner },
      { type: "text_delta", delta: "third", index: 0, ...deeper },
      { type: "error", error: { name: "Error", message: "no" }, ...deeper },
      { type: "step_finish", usage, finishReason: "stop", model: "m", ...inner },
      { type: "finish", finishReason: "stop", usage, ...inner },
      ...end,
    ]);
    expect(events.filter(({ type }) => String(type).startsWith("SUBAGENT"))).toEqual([
      { type: "SUBAGENT_STARTED", subagentRunId: "run-2", name: "helper", parentToolCallId: "c1" },
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: "run-3",
        name: "third",
        parentSubagentRunId: "run-2",
        parentToolCallId: "c1/c2",
      },
      { type: "SUBAGENT_ERROR", subagentRunId: "run-3", message: "An error occurred." },
      { type: "SUBAGENT_FINISHED", subagentRunId: "run-2", outcome: { type: "success" } },
    ]);
    const texts = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT");
    expect(texts.map(({ delta, subagentRunId }) => [delta, subagentRunId])).toEqual([
      ["inner", "run-2"],
      ["third", "run-3"],
    ]);
    expect(types(events).filter((type) => type === "RUN_FINISHED")).toHaveLength(1);
  });

  it("that waits ends with what it asks", async () => {
    const info = { kind: "tool_approval", toolName: "pay", toolCallId: "c1", input: {} };
    const events = await told([
      ...start,
      { type: "tool_call", callId: "c1", name: "pay", arguments: "{}" },
      { type: "interrupt", interrupt: { id: "int-1", address: "a", info } },
      { type: "interrupt", interrupt: { id: "int-2", address: "b", info: "How many?", schema: { type: "number" } } },
      { type: "finish", finishReason: "waiting", usage },
    ]);
    expect(types(events).slice(-2)).toEqual(["STEP_FINISHED", "RUN_FINISHED"]);
    expect(events.at(-1)?.outcome).toEqual({
      type: "interrupt",
      interrupts: [
        { id: "int-1", reason: "tool_call", toolCallId: "c1", metadata: info },
        {
          id: "int-2",
          reason: "input_required",
          message: "How many?",
          responseSchema: { type: "number" },
          metadata: { info: "How many?" },
        },
      ],
    });
  });

  it("that fails ends with the error, once", async () => {
    const failed: Told = [...start, { type: "error", error: { code: "MODEL_FAILED", name: "E", message: "no" } }];
    expect((await told(failed, new Error("no"))).at(-1)).toEqual({
      type: "RUN_ERROR",
      message: "An error occurred.",
      code: "MODEL_FAILED",
    });
    expect(types(await told(failed, new Error("no"))).filter((type) => type === "RUN_ERROR")).toHaveLength(1);
    expect((await told(start, new Error("broken"))).at(-1)).toEqual({
      type: "RUN_ERROR",
      message: "An error occurred.",
    });
  });

  it("keeps what AG-UI has no word for", async () => {
    const events = await told([
      ...start,
      { type: "tool_output_delta", callId: "c1", delta: "half" },
      { type: "handoff", from: "a", to: "b" },
      { type: "block", block: { type: "assistant_gen_image", url: "https://example.com/a.png" } },
      { type: "tool_result", callId: "c1", name: "a", message: result("c1", "a", "whole") },
      ...end,
    ]);
    expect(events.filter(({ type }) => type === "CUSTOM")).toEqual([
      { type: "CUSTOM", name: "tool_output_delta", value: { callId: "c1", delta: "half" } },
      { type: "CUSTOM", name: "handoff", value: { from: "a", to: "b" } },
      {
        type: "CUSTOM",
        name: "block",
        value: { block: { type: "assistant_gen_image", url: "https://example.com/a.png" } },
      },
    ]);
  });
});

describe("readAgUiRequest", () => {
  const base = { threadId: "u-1", runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };
  const read = (input: object) => readAgUiRequest(RunAgentInputSchema.parse(input));

  it("takes the last message of the user only", () => {
    const messages = [
      { id: "1", role: "system", content: "Obey." },
      { id: "2", role: "assistant", content: "Hi" },
      { id: "3", role: "user", content: "Weather?" },
    ];
    const prompt = userMessage("Weather?", { id: "3" });
    expect(read({ ...base, messages })).toEqual({ threadId: "u-1", runId: "r", prompt });
  });

  it("takes files along", () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } },
      { type: "document", source: { type: "url", value: "https://example.com/a.pdf" } },
    ];
    expect(read({ ...base, messages: [{ id: "1", role: "user", content }] }).prompt?.contentBlocks).toEqual([
      { type: "user_input_text", text: "What is this?" },
      { type: "user_input_image", base64Data: "AAAA", mimeType: "image/png" },
      { type: "user_input_file", url: "https://example.com/a.pdf" },
    ]);
  });

  it("takes answers", () => {
    const resume = [
      { interruptId: "int-1", status: "resolved", payload: { approved: true } },
      { interruptId: "int-2", status: "cancelled" },
    ];
    expect(read({ ...base, messages: [], resume })).toEqual({
      threadId: "u-1",
      runId: "r",
      answers: { "int-1": { approved: true }, "int-2": { approved: false, reason: "cancelled" } },
    });
  });

  it.each([
    [undefined, "takes the parsed JSON body"],
    [{ ...base, threadId: "" }, "threadId of the request must be a string"],
    [{ ...base, runId: 1 }, "runId of the request must be a string"],
    [{ ...base, messages: [] }, "must be from the user"],
    [{ ...base, messages: [{ role: "assistant", content: "Hi" }] }, "must be from the user"],
    [{ ...base, messages: [{ role: "user", content: "" }] }, "is empty"],
    [{ ...base, resume: [{ interruptId: 1, status: "resolved" }] }, "Each entry of resume"],
    [{ ...base, resume: [{ interruptId: "a", status: "done" }] }, "Each entry of resume"],
  ])("refuses %j", (body, problem) => {
    expect(() => readAgUiRequest(body)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(problem) }),
    );
  });
});

it.each([
  [undefined, "The options of agUi must be an object (got undefined)."],
  [{ threadId: "u-1" }, "runId of agUi must be the id that the client sent (got undefined)."],
  [
    { threadId: "u-1", runId: "r", thread: 1 },
    'Unknown option "thread" of agUi. Did you mean "threadId"? Options: headers, onError, heartbeatMs, threadId, runId.',
  ],
])("agUi refuses %j", async (options, message) => {
  await expect(agUi(streamOf([]), options as never)).rejects.toThrow(message);
});
