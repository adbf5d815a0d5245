import type { MockLanguageModelV4 } from "ai/test";
import { answer, callText, PIECES, piece, ROUNDS } from "./tasks.js";

type PackageModel = Pick<
  InstanceType<typeof MockLanguageModelV4>,
  "specificationVersion" | "provider" | "modelId" | "supportedUrls" | "doGenerate" | "doStream"
>;
type Part = Awaited<ReturnType<PackageModel["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const stop = { unified: "stop", raw: "stop" } as const;
const toolCalls = { unified: "tool-calls", raw: "tool_calls" } as const;

/** A model as provider packages make them, which answers at once: with a call until it has enough results. */
export const packageModel: PackageModel = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "instant",
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    const done = prompt.filter(({ role }) => role === "tool").length;
    return done < ROUNDS
      ? { content: [{ type: "tool-call", ...callOf(done) }], finishReason: toolCalls, usage, warnings: [] }
      : { content: [{ type: "text", text: answer }], finishReason: stop, usage, warnings: [] };
  },
  doStream: async ({ prompt }) => {
    const done = prompt.filter(({ role }) => role === "tool").length;
    return { stream: streamOf(done < ROUNDS ? callParts(done) : textParts([answer])) };
  },
};

/** One that writes a long text in pieces. */
export const writingModel: PackageModel = {
  ...packageModel,
  doStream: async () => ({ stream: streamOf(textParts(pieces)) }),
};

const pieces = Array.from({ length: PIECES }, () => piece);

function callOf(done: number): { toolCallId: string; toolName: string; input: string } {
  return { toolCallId: `call_${done}`, toolName: "weather", input: callText };
}

function callParts(done: number): Part[] {
  const { toolCallId: id, toolName } = callOf(done);
  return [
    { type: "stream-start", warnings: [] },
    { type: "tool-input-start", id, toolName },
    { type: "tool-input-delta", id, delta: callText },
    { type: "tool-input-end", id },
    { type: "tool-call", ...callOf(done) },
    { type: "finish", finishReason: toolCalls, usage },
  ];
}

function textParts(texts: readonly string[]): Part[] {
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    ...texts.map((delta): Part => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: stop, usage },
  ];
}

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  let next = 0;
  return new ReadableStream<Part>(
    {
      pull(controller) {
        const part = parts[next++];
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
}
