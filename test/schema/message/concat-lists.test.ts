import { type AgenticMessage, functionToolResult, userMessage } from "kumiko";
import { concatMessageLists, type MessageListChunk } from "kumiko/schema";
import { describe, expect, it } from "vitest";

const piece = (callId: string, result: string) =>
  userMessage(functionToolResult({ callId, name: "f", result, streamingMeta: { index: 0 } }));
const whole = (callId: string, result: string) => userMessage(functionToolResult({ callId, name: "f", result }));

function sparse(length: number, slot: number, message: AgenticMessage): MessageListChunk {
  const list = new Array<AgenticMessage>(length);
  list[slot] = message;
  return list;
}

describe("concatMessageLists", () => {
  it("joins slot by slot, whatever the order of the chunks", () => {
    const lists = [
      sparse(2, 1, piece("b", "B")),
      sparse(2, 0, piece("a", "1")),
      [piece("a", "2"), null],
      [undefined, piece("b", "C")],
    ];
    expect(concatMessageLists(lists)).toStrictEqual([whole("a", "12"), whole("b", "BC")]);
  });

  it("removes the streaming index of a slot's lone chunk", () => {
    expect(concatMessageLists([[piece("a", "x")]])).toStrictEqual([whole("a", "x")]);
  });

  it("leaves a slot that no chunk fills a hole", () => {
    const joined = concatMessageLists([[undefined, piece("b", "x"), null]]);
    expect(joined).toHaveLength(3);
    expect(Object.keys(joined)).toEqual(["1"]);
  });

  it("refuses lists of different lengths", () => {
    expect(() => concatMessageLists([[piece("a", "x")], [piece("a", "x"), piece("b", "x")]])).toThrow(
      expect.objectContaining({
        code: "CANNOT_CONCAT",
        message: expect.stringContaining("different lengths: 1 messages, and 2 in chunk 1"),
      }),
    );
  });

  it("refuses no lists at all, and joins empty ones", () => {
    expect(() => concatMessageLists([])).toThrow(expect.objectContaining({ code: "CANNOT_CONCAT" }));
    expect(concatMessageLists([[], []])).toEqual([]);
  });

  it("names the slot whose messages do not fit", () => {
    expect(() =>
      concatMessageLists([
        [undefined, piece("a", "x")],
        [undefined, piece("b", "x")],
      ]),
    ).toThrow(
      expect.objectContaining({ code: "CANNOT_CONCAT", message: expect.stringMatching(/^At slot 1 .* call ID "a"/) }),
    );
  });
});
