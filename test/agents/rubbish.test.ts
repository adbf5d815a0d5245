import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createTool, memoryStore } from "kumiko";
import { type AgentOptions, createAgent, messagesOf } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { canBeSent, failureOf, resultTexts } from "./agents.js";

type Part = Readonly<Record<string, unknown>>;

const start: Part = { type: "stream-start", warnings: [] };
const finish = (reason = "stop"): Part => ({
  type: "finish",
  finishReason: { unified: reason, raw: reason },
  usage: { inputTokens: { total: 4 }, outputTokens: { total: 2 } },
});
const text = (delta: string): Part[] => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta },
  { type: "text-end", id: "0" },
];
const calls = (input: unknown, ...ids: unknown[]): Part[] => [
  ...ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input })),
  finish("tool-calls"),
];
const look = createTool({ id: "look", description: "Looks.", inputSchema: { type: "object" }, execute: () => "seen" });

/** An agent whose provider sends these parts. */
function agentOn(answers: Part[][], options: Partial<AgentOptions> = {}) {
  const doStream = async () => ({ stream: simulateReadableStream({ chunks: [start, ...(answers.shift() ?? [])] }) });
  const model = new MockLanguageModelV4({ doStream: doStream as never });
  return createAgent({ model, tools: [look], retry: false, ...options });
}

describe("a provider that sends rubbish", () => {
  it.each([
    ["two finishes", [...text("hi"), finish(), finish()], "hi"],
    ["a part that nobody knows", [{ type: "quantum", x: 1 }, ...text("hi"), finish()], "hi"],
    ["no usage", [...text("hi"), { ...finish(), usage: undefined }], "hi"],
    ["a usage that is none", [...text("hi"), { ...finish(), usage: { inputTokens: { total: Number.NaN } } }], "hi"],
    ["pieces of a text that never began", [{ type: "text-delta", id: "9", delta: "hi" }, finish()], "hi"],
    ["a chunk of 5 MB", [...text("x".repeat(5_000_000)), finish()], "x".repeat(5_000_000)],
  ])("is understood: %s", async (_what, parts, expected) => {
    const result = await agentOn([parts]).stream("?").result;
    expect(result.text === expected).toBe(true);
    expect(Number.isFinite(result.usage.totalTokens)).toBe(true);
  });

  it.each([
    ["duplicate ids", calls("{}", "1", "1"), ["seen", "seen"]],
    ["no id", calls("{}", undefined), ["seen"]],
    ["arguments that were cut off", calls('{"a":"b', "1"), [expect.stringContaining("not valid")]],
    ["arguments that are an object", calls({ a: "b" }, "1"), ["seen"]],
    ["no arguments", calls(undefined, "1"), ["seen"]],
    ["5 MB of arguments", calls(JSON.stringify({ a: "x".repeat(5_000_000) }), "1"), ["seen"]],
  ])("gets a result for each call: %s", async (_what, parts, results) => {
    const result = await agentOn([parts, [...text("done"), finish()]]).stream("?").result;
    expect(result.text).toBe("done");
    expect(resultTexts(result.messages)).toEqual(results);
    expect(canBeSent(result.messages)).toBe(true);
  });

  it.each([
    ["STREAM_CUT", "no finish", text("hi")],
    ["MODEL_FAILED", "an error that is a text", [...text("hi"), { type: "error", error: "boom" }, finish()]],
    ["MODEL_FAILED", "an error that is nothing", [{ type: "error" }]],
    ["EMPTY_STREAM", "nothing", [finish()]],
  ])("is %s: %s; what was logged can be sent again", async (code, _what, parts) => {
    const error = await failureOf(agentOn([parts]).stream("?").result);
    expect(error.code).toBe(code);
    expect(messagesOf(error)).toHaveLength(1);
  });

  it("comes to an end where it calls what is not there for ever, with ids that repeat", async () => {
    const call: Part[] = [{ type: "tool-call", toolCallId: "1", toolName: "nope", input: "{}" }, finish("tool-calls")];
    const result = await agentOn(
      Array.from({ length: 9 }, () => call),
      { maxSteps: 3 },
    ).stream("?").result;
    expect(result.finishReason).toBe("max_steps");
    expect(result.steps).toHaveLength(4);
    expect(canBeSent(result.messages)).toBe(true);
  });

  it.each(["generate", "stream"] as const)("answers nothing at all (%s)", async (way) => {
    const nothing = async () => undefined as never;
    const agent = createAgent({
      model: new MockLanguageModelV4({ doGenerate: nothing, doStream: nothing }),
      retry: false,
    });
    const error = await failureOf(way === "generate" ? agent.generate("?") : agent.stream("?").result);
    expect(error).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("mock-provider") });
  });

  it.each([true, false])("is a model of one's own that gives what is no message (retries: %s)", async (retries) => {
    const model = {
      component: "model" as const,
      type: "Mine",
      generate: async () => "hello" as never,
      stream: async function* () {
        yield "hello" as never;
      },
    };
    const agent = createAgent({ model, ...(!retries && { retry: false as const }) });
    for (const run of [agent.generate("?"), agent.stream("?").result]) {
      const error = await failureOf(run);
      expect(error).toMatchObject({
        code: "MODEL_FAILED",
        message: expect.stringContaining("Mine returned something"),
      });
    }
    const silent = createAgent({ model: { ...model, stream: async function* () {} }, retry: false });
    expect((await failureOf(silent.stream("?").result)).code).toBe("EMPTY_STREAM");
  });
});

describe("options that are wrong", () => {
  it.each([
    [{ signal: new AbortController().signal }, "option of a call"],
    [{ output: new Date() }, "JSON Schema"],
    [{ retry: true }, "retry"],
    [{ modelOptions: 5 }, "modelOptions"],
    [{ toolsNode: 5 }, "toolsNode"],
  ])("are told when the agent is made: %o", (options, said) => {
    expect(() => createAgent({ model: scriptedModel(), ...(options as object) })).toThrow(said);
  });

  it("are told before a call runs", async () => {
    const model = scriptedModel("x");
    const agent = createAgent({ model, store: memoryStore() });
    expect((await failureOf(agent.generate("?", { modelOptions: 5 as never }))).code).toBe("INVALID_OPTION");
    expect(model.calls).toHaveLength(0);
  });
});
