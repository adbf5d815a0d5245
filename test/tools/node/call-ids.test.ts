import { AgenticToolsNode, assistantMessage, toolCallsOf, userMessage } from "kumiko";
import { assistantGenText } from "kumiko/schema";
import { expect, it } from "vitest";
import { blocksOf, call, calls, textsOf, tool } from "./calls.js";

const node = new AgenticToolsNode([tool("echo", ({ n }) => `${n}`)]);
const idsOf = async (message: ReturnType<typeof calls>) =>
  blocksOf(await node.invoke(message)).map(({ callId }) => callId);

it("settles calls by their place, not by their id", async () => {
  const message = calls(call("echo", { n: 1 }, "x"), call("echo", { n: 2 }, "x"), call("echo", { n: 3 }, "x"));
  expect(textsOf(await node.invoke(message))).toEqual(["1", "2", "3"]);
});

it("makes repeated ids unique, and never takes one that another call has", async () => {
  expect(await idsOf(calls(call("echo", {}, "x"), call("echo", {}, "x"), call("echo", {}, "x_2")))).toEqual([
    "x",
    "x_3",
    "x_2",
  ]);
});

it("makes missing ids, the same ones every time", async () => {
  const message = calls(call("echo", { n: 1 }, ""), call("echo", { n: 1 }, ""));
  const ids = await idsOf(message);
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id) => id.startsWith("call_"))).toBe(true);
  expect(await idsOf(structuredClone(message))).toEqual(ids);
});

it("gives the message with the ids that the results use", async () => {
  const text = assistantGenText("Let me see.");
  const message = assistantMessage([call("echo", {}, "x"), text, call("echo", {}, "x"), call("echo", {}, "")]);
  const normalized = node.normalize(message);
  expect(toolCallsOf(normalized).map(({ callId }) => callId)).toEqual(await idsOf(message));
  expect(normalized.contentBlocks[1]).toBe(text);
  expect(message.contentBlocks[2]).toMatchObject({ callId: "x" });
  expect(node.normalize(normalized)).toBe(normalized);
  expect(await idsOf(normalized)).toEqual(await idsOf(message));
});

it("normalizes messages with calls only", () => {
  expect(() => node.normalize(userMessage("hi"))).toThrow("expected message role is Assistant");
});

it("reports repeated ids as an event of the node", async () => {
  const events: unknown[] = [];
  const message = calls(call("echo", {}, "x"), call("echo", {}, "x"), call("echo", {}, ""));
  await node.invoke(message, { callbacks: [{ onEvent: ({ component }, event) => events.push([component, event]) }] });
  expect(events).toEqual([
    ["tools_node", { kind: "duplicate_call_id", callId: "x", newCallId: "x_2", toolName: "echo", index: 1 }],
  ]);
});

it("tells tools the new id", async () => {
  const own = new AgenticToolsNode([tool("who", () => "")]);
  const seen: (string | undefined)[] = [];
  await own.invoke(calls(call("who", {}, "x"), call("who", {}, "x")), {
    callbacks: [{ onStart: (info) => info.component === "tool" && seen.push(info.toolCallId) }],
  });
  expect(seen).toEqual(["x", "x_2"]);
});
