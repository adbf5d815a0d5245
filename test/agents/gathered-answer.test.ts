import { type AgenticMessage, type ContentBlock, concatMessages, functionToolCall } from "kumiko";
import { describe, expect, it } from "vitest";
import { GatheredAnswer } from "../../src/agents/model-answer.js";

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

describe("GatheredAnswer", () => {
  it.each(Object.entries(answers))("comes to what concatMessages makes of the chunks: %s", async (_name, chunks) => {
    const before = structuredClone(chunks);
    const gathered = new GatheredAnswer();
    for (const one of chunks) gathered.add(one);
    expect(gathered.isEmpty).toBe(false);
    expect(await gathered.message()).toEqual(concatMessages(chunks));
    expect(chunks).toEqual(before);
  });

  it("is empty before the first chunk", () => {
    expect(new GatheredAnswer().isEmpty).toBe(true);
  });
});
