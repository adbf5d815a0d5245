import { assistantMessage, functionToolCall, functionToolResult, userInputImage, userMessage } from "kumiko";
import type { ComponentKind } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";
import { oneLine, preview } from "../../src/callbacks/preview.js";

const call = functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' });
const result = functionToolResult({ callId: "1", name: "get_weather", result: "31" });

describe("preview", () => {
  it.each<[string, ComponentKind, unknown, string]>([
    ["a text", "lambda", 'say "hi"', '"say \\"hi\\""'],
    ["a record", "lambda", { a: [1, undefined], b: 2n }, '{"a":[1,null],"b":"2"}'],
    ["an error", "lambda", new RangeError("too far"), "RangeError: too far"],
    ["a user message", "lambda", userMessage("Hello"), 'user: "Hello"'],
    ["an assistant message with calls", "lambda", assistantMessage([call]), 'assistant: get_weather({"city":"深圳"})'],
    ["a result message", "lambda", userMessage([result]), 'user: get_weather = "31"'],
    [
      "a message without text",
      "lambda",
      userMessage([userInputImage({ url: "https://a/b.png" })]),
      "user: user_input_image",
    ],
    ["a conversation", "graph", [userMessage("a"), userMessage("b")], '[2 messages] user: "b"'],
    ["one message in a list", "graph", [userMessage("a")], 'user: "a"'],
    ["an empty list", "graph", [], "[]"],
    ["the input of a model", "model", { messages: [userMessage("a")], options: {} }, 'user: "a"'],
    ["the output of a model", "model", { message: assistantMessage("b") }, 'assistant: "b"'],
    ["the input of a tool", "tool", { arguments: '{"city":"深圳"}' }, '{"city":"深圳"}'],
    ["the output of a tool", "tool", { result: "31 degrees" }, "31 degrees"],
    ["parts that a tool gave", "tool", { result: [{ type: "text", text: "31" }] }, '[{"type":"text","text":"31"}]'],
    ["a record that only looks like one of a tool", "lambda", { result: "x" }, '{"result":"x"}'],
  ])("shows %s", (_title, component, value, expected) => {
    expect(preview(value, component, 80)).toBe(expected);
  });

  it("cuts what is too long", () => {
    expect(preview({ arguments: "x".repeat(100_000) }, "tool", 10)).toBe("xxxxxxxxx…");
    expect(preview("x".repeat(100_000), "lambda", 10)).toBe('"xxxxxxxx…');
    expect([...preview(Array(100_000).fill(1), "lambda", 10)]).toHaveLength(10);
  });
});

describe("oneLine", () => {
  it("leaves no line breaks and no control characters", () => {
    expect(oneLine("a\n\tb\u001b[2Jc\u009bd", 80)).toBe("a b [2Jc d");
  });

  it("does not cut a character in two", () => {
    expect(oneLine("😀😀😀", 2)).toBe("😀…");
    expect(oneLine("😀😀", 2)).toBe("😀😀");
  });
});
