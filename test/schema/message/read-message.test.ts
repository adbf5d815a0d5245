import {
  assistantMessage,
  functionToolCall,
  functionToolResult,
  hasToolCalls,
  textOf,
  toolCallsOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { assistantGenText, reasoning, reasoningOf } from "kumiko/schema";
import { expect, it } from "vitest";

const call = (callId: string) => functionToolCall({ callId, name: "f", arguments: "{}" });
const result = functionToolResult({ callId: "1", name: "f", result: "result" });
const message = assistantMessage([
  reasoning("hm, "),
  assistantGenText("Hel"),
  call("1"),
  assistantGenText("lo"),
  call("2"),
]);

it("textOf joins the text of user, system and model, and nothing else", () => {
  expect(textOf(message)).toBe("Hello");
  expect(textOf(userMessage("Hi"))).toBe("Hi");
  expect(textOf(userMessage(result))).toBe("");
});

it("reasoningOf joins what the model thought", () => {
  expect(reasoningOf(message)).toBe("hm, ");
  expect(reasoningOf(userMessage("Hi"))).toBe("");
});

it("toolCallsOf gives the calls in order, and hasToolCalls says whether there are any", () => {
  expect(toolCallsOf(message)).toEqual([call("1"), call("2")]);
  expect(hasToolCalls(message)).toBe(true);
  expect(hasToolCalls(assistantMessage("Hi"))).toBe(false);
});

it("toolResultsOf gives the results, also of many messages through flatMap", () => {
  expect([userMessage(result), userMessage("Hi")].flatMap(toolResultsOf)).toEqual([result]);
});

it.each([textOf, reasoningOf, toolCallsOf, hasToolCalls, toolResultsOf])(
  "%o says what a foreign message lacks",
  (read) => {
    for (const given of [{ role: "user", content: "Hi" }, [message], undefined, "Hi"]) {
      expect(() => read(given as never)).toThrow(/no list of contentBlocks.*not a list.*another library.*userMessage/);
    }
  },
);
