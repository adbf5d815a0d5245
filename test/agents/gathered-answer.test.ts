import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  type ContentBlock,
  concatMessages,
  createTool,
  functionToolCall,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { describe, expect, it } from "vitest";

const chunk = (block: ContentBlock, more: Partial<AgenticMessage> = {}): AgenticMessage => {
  return { role: "assistant", contentBlocks: [block], ...more };
};
const text = (value: string, index = 0, more: object = {}): ContentBlock => {
  return { type: "assistant_gen_text", text: value, streamingMeta: { index }, ...more };
};
const call = (pieces: string, index: number): ContentBlock => {
  return { ...functionToolCall({ callId: "1", name: "now", arguments: pieces }), streamingMeta: { index } };
};
const restart: AgenticMessage = { role: "assistant", contentBlocks: [], restart: true };

const answers: Readonly<Record<string, readonly AgenticMessage[]>> = {
  "one text": ["to ", "be", " or"].map((piece) => chunk(text(piece))),
  "one piece": [chunk(text("to be"))],
  "two texts in turns": [chunk(text("a", 0)), chunk(text("b", 1)), chunk(text("c", 0)), chunk(text("d", 1))],
  "a text around a call": [chunk(text("a")), chunk(call('{"x"', 1)), chunk(text("b")), chunk(call(":1}", 1))],
  "pieces with something of their own": [
    chunk(text("a")),
    chunk(text("b", 0, { extra: { signed: true } })),
    chunk(text("c"), { id: "7", responseMeta: { finishReason: "stop" } }),
    chunk(text("d", 0, { extension: { citations: ["x"] } })),
    chunk(text("e")),
  ],
  "a text that began again": [chunk(text("a")), chunk(text("b")), restart, chunk(text("c")), chunk(text("d"))],
  "a block that began again": [chunk(text("a")), chunk(text("b", 0, { streamingMeta: { index: 0, restart: true } }))],
  "no index": [chunk({ type: "assistant_gen_text", text: "a" }), chunk({ type: "assistant_gen_text", text: "b" })],
};

/** Gives these chunks, and a text once a tool has answered. */
function streamingModel(chunks: readonly AgenticMessage[]): AgenticModel {
  return {
    component: "model",
    generate: async () => assistantMessage("whole"),
    async *stream(messages) {
      if (messages.length === 1) yield* chunks;
      else yield assistantMessage("done");
    },
  };
}

describe("a streamed answer", () => {
  it.each(Object.entries(answers))(
    "is the message that concatMessages makes of its chunks: %s",
    async (_name, chunks) => {
      const before = structuredClone(chunks);
      const now = createTool({ id: "now", description: "", execute: () => "noon" });
      const { messages } = await createAgent({ model: streamingModel(chunks), tools: { now } }).stream("go").result;
      expect(messages.find(({ role }) => role === "assistant")).toEqual(concatMessages(chunks));
      expect(chunks).toEqual(before);
    },
  );
});
