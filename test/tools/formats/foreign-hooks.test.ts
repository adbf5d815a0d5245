import { tool } from "ai";
import { AgenticToolsNode, assistantMessage, functionToolCall, type Handler, StreamReader } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, calls, textsOf } from "../node/calls.js";
import { mastraTool } from "./mastra-shape.js";

const inputSchema = z.object({ city: z.string() });

/** Hooks that write down what they hear, and the tool that they are called on. */
function listening(log: unknown[]) {
  return {
    onInputStart({ toolCallId }: { toolCallId: string }) {
      log.push(["start", toolCallId]);
    },
    onInputDelta({ inputTextDelta }: { inputTextDelta: string }) {
      log.push(["delta", inputTextDelta]);
    },
    onInputAvailable(this: unknown, { input }: { input: unknown }) {
      log.push(["input", input, this]);
    },
  };
}

const onOutput =
  (log: unknown[]) =>
  ({ output, toolName }: { output: unknown; toolName: string }) =>
    log.push(["output", output, toolName]);

const piece = (text: string) =>
  assistantMessage(functionToolCall({ callId: "1", name: "look", arguments: text, streamingMeta: { index: 0 } }));

describe("hooks of a tool of another package hear what they would hear of createTool's", () => {
  const execute = ({ city }: { city: string }) => `seen ${city}`;
  const formats: readonly [string, boolean, (log: unknown[]) => AnyTool][] = [
    ["an AI SDK tool", false, (log) => tool({ inputSchema, execute, ...listening(log) })],
    [
      "a Mastra tool",
      true,
      (log) =>
        mastraTool({ id: "look", description: "", inputSchema, execute, ...listening(log), onOutput: onOutput(log) }),
    ],
    [
      "a plain tool",
      true,
      (log) => ({ name: "look", inputSchema, execute, ...listening(log), onOutput: onOutput(log) }),
    ],
  ];

  it.each(formats)("in a message that streams in: %s", async (_format, hasOutput, toolOf) => {
    const log: unknown[] = [];
    const given = toolOf(log);
    const node = new AgenticToolsNode({ tools: { look: given } });
    const results = await node.transform(StreamReader.from([piece('{"city":'), piece('"Kyoto"}')])).concat();
    expect(textsOf(results)).toEqual(["seen Kyoto"]);
    expect(log).toEqual([
      ["start", "1"],
      ["delta", '{"city":'],
      ["delta", '"Kyoto"}'],
      ["input", { city: "Kyoto" }, given],
      ...(hasOutput ? [["output", "seen Kyoto", "look"]] : []),
    ]);
  });

  it.each(formats)("not for input that does not fit, and not at the start of a whole message: %s", async (...row) => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode({ tools: { look: row[2](log) }, onToolError: "result" });
    await node.invoke(calls(call("look", { city: 7 })));
    expect(log).toEqual([]);
  });

  it("one that fails is reported, and its call goes on", async () => {
    const events: unknown[] = [];
    const handler: Handler = { onEvent: (_info, event) => void events.push(event) };
    const failing = tool({
      inputSchema,
      execute,
      onInputAvailable: () => {
        throw new Error("no");
      },
    });
    const node = new AgenticToolsNode({ tools: { look: failing } });
    const results = await node.invoke(calls(call("look", { city: "Kyoto" })), { callbacks: [handler] });
    expect(textsOf(results)).toEqual(["seen Kyoto"]);
    expect(events).toMatchObject([{ kind: "hook_error", hook: "onInputAvailable", toolName: "look" }]);
  });
});
