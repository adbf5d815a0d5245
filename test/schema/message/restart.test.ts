import { type AgenticMessage, type ContentBlock, concatMessages, StreamReader, toolCallsOr } from "kumiko";
import { concatMessageLists } from "kumiko/schema";
import { expect, it } from "vitest";

const restart: AgenticMessage = { role: "assistant", contentBlocks: [], restart: true };
const chunk = (block: ContentBlock): AgenticMessage => ({ role: "assistant", contentBlocks: [block] });
const text = (part: string, index = 0) => chunk({ type: "assistant_gen_text", text: part, streamingMeta: { index } });
const call = (part: string, restarts = false) =>
  chunk({
    type: "function_tool_call",
    callId: "1",
    name: "now",
    arguments: part,
    streamingMeta: restarts ? { index: 0, restart: true } : { index: 0 },
  });

it("drops what stands before the last chunk that begins an answer again", () => {
  const usage = { promptTokens: 90, completionTokens: 90, totalTokens: 180 };
  const meta: AgenticMessage = { role: "assistant", contentBlocks: [], responseMeta: { tokenUsage: usage } };
  expect(concatMessages([text("no"), meta, restart, text("nor"), restart, text("yes")])).toStrictEqual({
    role: "assistant",
    contentBlocks: [{ type: "assistant_gen_text", text: "yes" }],
  });
});

it("drops the id of what it drops, and keeps the first one of the rest", () => {
  const named = (part: string, id: string): AgenticMessage => ({ ...text(part), id });
  expect(concatMessages([named("no", "1"), restart, named("y", "2"), named("es", "3"), text("!")]).id).toBe("2");
  expect(concatMessages([text("a"), text("b")])).not.toHaveProperty("id");
});

it("does not carry the mark into the message", () => {
  expect(concatMessages([restart])).toStrictEqual({ role: "assistant", contentBlocks: [] });
  expect(concatMessages([{ ...text("yes"), restart: true }])).toStrictEqual({
    role: "assistant",
    contentBlocks: [{ type: "assistant_gen_text", text: "yes" }],
  });
});

it("drops the pieces of a block before it begins again, also as another kind", () => {
  expect(concatMessages([call('{"a'), call('{"b":1}', true)]).contentBlocks).toStrictEqual([
    { type: "function_tool_call", callId: "1", name: "now", arguments: '{"b":1}' },
  ]);
  const served: ContentBlock = {
    type: "server_tool_call",
    name: "now",
    callId: "1",
    arguments: "{}",
    streamingMeta: { index: 0, restart: true },
  };
  expect(concatMessages([call("{}"), chunk(served)]).contentBlocks).toStrictEqual([
    { type: "server_tool_call", name: "now", callId: "1", arguments: "{}" },
  ]);
});

it("holds for each message of a list", () => {
  expect(concatMessageLists([[text("no")], [restart], [text("yes")]])).toStrictEqual([
    { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: "yes" }] },
  ]);
});

it("counts no calls of an answer that began again, when a branch looks at the whole message", async () => {
  const choose = toolCallsOr("tools", "end");
  const served: ContentBlock = { type: "server_tool_call", name: "now", streamingMeta: { index: 0, restart: true } };
  await expect(choose(StreamReader.from([call("{}"), restart, text("done")]))).resolves.toBe("end");
  await expect(choose(StreamReader.from([call("{}"), chunk(served)]))).resolves.toBe("end");
  await expect(choose(StreamReader.from([text("hm"), restart, call("{}")]))).resolves.toBe("tools");
});
