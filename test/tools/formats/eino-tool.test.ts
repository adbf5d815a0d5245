import { AgenticToolsNode } from "kumiko";
import { toolInfo } from "kumiko/components";
import { expect, it } from "vitest";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { call, calls, textsOf } from "../node/calls.js";

const info = { name: "echo", desc: "Says it again.", parameters: { text: { type: "string", required: true } } };

it("a tool gets the text of its arguments, neither parsed nor validated", async () => {
  const node = new AgenticToolsNode([{ info, invokableRun: async (args: string) => `got ${args}` }]);
  expect(node.infos[0]).toMatchObject({ name: "echo", description: "Says it again." });
  expect(node.infos[0]?.toJsonSchema()).toMatchObject({ type: "object", required: ["text"] });
  expect(textsOf(await node.invoke(calls(call("echo", "no JSON"))))).toEqual(["got no JSON"]);
});

it("a tool that streams does so, and a joined stream is its result", async () => {
  const prefix = "~";
  const tool = {
    prefix,
    info: () => info,
    async *streamableRun(this: { prefix: string }, args: string, { toolCallId }: { toolCallId: string }) {
      yield this.prefix;
      yield args;
      yield toolCallId;
    },
  };
  const node = new AgenticToolsNode({ tools: { key: tool } });
  expect(node.infos[0]?.name).toBe("key");
  const chunks: unknown[] = [];
  for await (const chunk of node.stream(calls(call("key", "{}", "c-1")))) chunks.push(chunk);
  expect(chunks.length).toBe(3);
  expect(textsOf(await node.invoke(calls(call("key", "{}", "c-1"))))).toEqual(["~{}c-1"]);
});

it("what toolInfo makes is taken as it is", () => {
  const made = toolInfo({ name: "made", description: "d" });
  expect(new AgenticToolsNode([{ info: made, invokableRun: () => "" }]).infos[0]).toBe(made);
});

it("info that comes later is refused, with what to do", () => {
  const tool = plain({ info: async () => info, invokableRun: () => "" });
  expect(thrownBy(() => new AgenticToolsNode([tool])).message).toContain("info is a promise");
});

it("info that fails says which tool it was", () => {
  const tool = {
    info: () => {
      throw new Error("no connection");
    },
    invokableRun: () => "",
  };
  expect(thrownBy(() => new AgenticToolsNode([tool])).message).toContain("tools[0]: no connection");
});
