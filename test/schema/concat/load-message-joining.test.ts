import { expect, it } from "vitest";
import { messageJoining } from "../../../src/schema/concat/message-joining.js";
import type { AgenticMessage } from "../../../src/schema/message/agentic-message.js";
import { StreamReader } from "../../../src/schema/stream/reader.js";

// In this file nothing about messages is imported; the tests build on one another.

const message = (text: string): AgenticMessage => ({
  role: "assistant",
  contentBlocks: [{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }],
});

it("texts and numbers join without what joins messages", async () => {
  expect(await StreamReader.from(["to ", "be"]).concat()).toBe("to be");
  expect(await StreamReader.from([undefined, 1, 2]).concat()).toBe(2);
  expect(messageJoining.part).toBeUndefined();
});

it("messages join in a program that imports nothing about messages", async () => {
  const joined = { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: "to be" }] };
  const ofChunks = StreamReader.from([undefined, message("to "), message("be")]).concat();
  const inLists = StreamReader.from([[message("to ")], [message("be")]]).concat();
  const inRecords = StreamReader.from([{ said: message("to ") }, { said: message("be") }])
    .withRule("record")
    .concat();
  expect(await Promise.all([ofChunks, inLists, inRecords])).toEqual([joined, [joined], { said: joined }]);
});
