import { AgenticToolsNode, Chain, createTool, END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { idsOf, interruptOf, questionOf } from "../checkpoint/interrupt-of.js";
import { call, calls } from "../tools/node/calls.js";

const asks = async (_text: string, ctx: { ask: (key: string, info: unknown) => Promise<unknown>; address: string }) =>
  `${String(await ctx.ask("q", ctx.address))}`;
const run = { checkpointId: "run" };

describe("addresses", () => {
  it('tell a node "a;node:b" from the node "b" of the graph "a"', async () => {
    const app = new Graph<string, unknown>()
      .addNode("a;node:b", asks, { outputKey: "outer" })
      .addNode("a", new Chain<string>().append(asks, { key: "b" }), { outputKey: "inner" })
      .addEdge(START, "a;node:b")
      .addEdge(START, "a")
      .addEdge("a;node:b", END)
      .addEdge("a", END)
      .compile({ name: "app", store: memoryStore() });
    const { interrupts } = await interruptOf(app.invoke("x", run));
    expect(interrupts.map(({ address }) => address).sort()).toEqual([
      "runnable:app;node:a%3Bnode:b",
      "runnable:app;node:a;node:b",
    ]);
    const byAddress = { "runnable:app;node:a%3Bnode:b": "one", "runnable:app;node:a;node:b": "two" };
    expect(await app.resume("run", { byAddress })).toEqual({ outer: "one", inner: "two" });
  });

  it('write "%" as "%25", so that "a%3Bb" is not "a;b"', async () => {
    const app = new Graph<string, unknown>()
      .addNode("a%3Bb", asks, { outputKey: "percent" })
      .addNode("a;b", asks, { outputKey: "semicolon" })
      .addEdge(START, "a%3Bb")
      .addEdge(START, "a;b")
      .addEdge("a%3Bb", END)
      .addEdge("a;b", END)
      .compile({ name: "100%;", store: memoryStore() });
    expect(Object.keys(idsOf(await interruptOf(app.invoke("x", run)))).sort()).toEqual([
      "runnable:100%25%3B;node:a%253Bb",
      "runnable:100%25%3B;node:a%3Bb",
    ]);
  });

  it('write ":" in the name of a tool as "%3A", and leave it in the id of a call', async () => {
    const tool = createTool({
      id: "math:add",
      description: "Adds.",
      execute: (_input, ctx) => ctx.ask("q", "?"),
    });
    const app = new Chain<string>()
      .append(() => calls(call("math:add", {}, "1:a;b")))
      .appendToolsNode(new AgenticToolsNode([tool]), { key: "tools" })
      .compile({ name: "app", store: memoryStore() });
    const { address } = await questionOf(app.invoke("x", run));
    expect(address).toBe("runnable:app;node:tools;tool:math%3Aadd:1:a%3Bb");
  });
});
