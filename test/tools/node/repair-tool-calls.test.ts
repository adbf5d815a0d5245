import fc from "fast-check";
import {
  type AgenticMessage,
  assistantMessage,
  functionToolResult,
  systemMessage,
  toolCallsOf,
  toolResultsOf,
  userInputText,
  userMessage,
} from "kumiko";
import { repairToolCalls } from "kumiko/components";
import { expect, it } from "vitest";
import { call, calls } from "./calls.js";

const result = (callId: string, text = "ok") => userMessage(functionToolResult({ callId, name: "t", result: text }));
const shape = (messages: readonly AgenticMessage[]) =>
  messages.map((message) =>
    message.contentBlocks
      .map((block) => {
        if (block.type === "function_tool_call") return `call ${block.callId}`;
        if (block.type === "function_tool_result") return `${block.errorKind ?? "result"} ${block.callId}`;
        return "text" in block ? block.text : block.type;
      })
      .join(", "),
  );

it("leaves a whole history as it is, with the same objects", () => {
  const history = [systemMessage("s"), userMessage("q"), calls(call("t", {}, "1")), result("1"), assistantMessage("a")];
  const repaired = repairToolCalls(history);
  expect(repaired).toEqual(history);
  expect(repaired.every((message, index) => message === history[index])).toBe(true);
});

it("answers calls without a result, behind the results of their message", () => {
  const history = [calls(call("t", {}, "1"), call("t", {}, "2")), result("2"), userMessage("and now?")];
  expect(shape(repairToolCalls(history))).toEqual(["call 1, call 2", "result 2", "not_executed 1", "and now?"]);
  expect(shape(repairToolCalls([calls(call("t", {}, "1")), userMessage("never mind")]))).toEqual([
    "call 1",
    "not_executed 1",
    "never mind",
  ]);
  expect(shape(repairToolCalls([calls(call("t", {}, "1"))]))).toEqual(["call 1", "not_executed 1"]);
});

it("drops results without a call, and messages in which nothing else is", () => {
  const mixed = userMessage([functionToolResult({ callId: "9", name: "t", result: "" }), userInputText("kept")]);
  const history = [result("1"), mixed, calls(call("t", {}, "1")), result("1"), result("1", "again"), result("2")];
  expect(shape(repairToolCalls(history))).toEqual(["kept", "call 1", "result 1"]);
});

it("pairs ids that come again with the nearest call before them", () => {
  const history = [calls(call("t", {}, "1")), result("1"), calls(call("t", {}, "1")), userMessage("stop")];
  expect(shape(repairToolCalls(history))).toEqual(["call 1", "result 1", "call 1", "not_executed 1", "stop"]);
});

it("gives calls of one message ids of their own", () => {
  const history = [calls(call("t", {}, "1"), call("t", {}, "1"))];
  expect(shape(repairToolCalls(history))).toEqual(["call 1, call 1_2", "not_executed 1", "not_executed 1_2"]);
});

it("leaves no call without its result and no result without its call, whatever it gets", () => {
  const id = fc.constantFrom("1", "2", "3", "");
  const message = fc.oneof(
    fc
      .array(id, { maxLength: 3 })
      .map((ids) => (ids.length === 0 ? assistantMessage("x") : calls(...ids.map((one) => call("t", {}, one))))),
    fc
      .array(id, { minLength: 1, maxLength: 3 })
      .map((ids) => userMessage(ids.map((callId) => functionToolResult({ callId, name: "t", result: "" })))),
    fc.constant(userMessage("hi")),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (history) => {
      const repaired = repairToolCalls(history);
      const open: string[] = [];
      for (const one of repaired) {
        open.push(...toolCallsOf(one).map(({ callId }) => callId));
        for (const { callId } of toolResultsOf(one)) {
          const at = open.lastIndexOf(callId);
          expect(at).toBeGreaterThanOrEqual(0);
          open.splice(at, 1);
        }
      }
      expect(open).toEqual([]);
      expect(repairToolCalls(repaired)).toEqual(repaired);
    }),
  );
});
