import { type AgenticMessage, Chain, END, each, from, Graph, START, textOf, userMessage, Workflow } from "kumiko";
import type { AiSdkModel } from "kumiko/models";
import { describe, expect, it } from "vitest";
import { thrownBy } from "./thrown-by.js";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model: AiSdkModel = {
  specificationVersion: "v3",
  provider: "fake",
  modelId: "small",
  doGenerate: async () => ({
    content: [{ type: "text", text: "hello" }],
    finishReason: { unified: "stop", raw: "stop" },
    usage,
    warnings: [],
  }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "text-start", id: "1" });
        for (const delta of ["hel", "lo"]) controller.enqueue({ type: "text-delta", id: "1", delta });
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
        controller.close();
      },
    }),
  }),
};
const untyped = model as never;
const question = [userMessage("hi")];

describe("a model of the AI SDK as a node", () => {
  it.each([
    ["appendModel", new Chain<AgenticMessage[]>().appendModel(model).compile()],
    ["append", new Chain<AgenticMessage[]>().append<AgenticMessage>(untyped).compile()],
    [
      "addModelNode",
      new Graph<AgenticMessage[], AgenticMessage>()
        .addModelNode("model", model)
        .addEdge(START, "model")
        .addEdge("model", END)
        .compile(),
    ],
    [
      "addModelNode of a workflow",
      new Workflow<AgenticMessage[], AgenticMessage>()
        .untyped()
        .addModelNode("model", untyped, { input: from(START) })
        .end(from("model"))
        .compile(),
    ],
  ])("is taken by %s, and streams", async (_, app) => {
    expect(textOf(await app.invoke(question))).toBe("hello");
    const texts: string[] = [];
    for await (const chunk of app.stream(question)) texts.push(textOf(chunk));
    expect(texts.filter((text) => text !== "")).toEqual(["hel", "lo"]);
  });

  it("is taken by each and as a member", async () => {
    const all = new Chain<AgenticMessage[][]>().append(each<AgenticMessage[], AgenticMessage>(untyped)).compile();
    expect((await all.invoke([question])).map(textOf)).toEqual(["hello"]);
    const parallel = new Chain<AgenticMessage[]>()
      .appendParallel({ asked: (messages) => messages.length, said: untyped })
      .compile();
    expect(textOf((await parallel.invoke(question)).said as never)).toBe("hello");
  });

  it("is a model in descriptions, under its own name", () => {
    const app = new Chain<AgenticMessage[]>().appendModel(model, { key: "ask" }).compile();
    expect(app.graphInfo().nodes).toContainEqual(expect.objectContaining({ key: "ask", component: "model" }));
  });

  it("is not taken as a tools node, nor is any other model", () => {
    const calls = [
      () => new Graph<AgenticMessage, AgenticMessage[]>().addToolsNode("tools", untyped),
      () => new Graph<AgenticMessage, AgenticMessage[]>().addAgenticToolsNode("tools", untyped),
      () => new Graph<AgenticMessage, AgenticMessage[]>().untyped().addToolsNode("tools", untyped),
      () => new Chain<AgenticMessage>().appendToolsNode(untyped, { key: "tools" }),
      () => new Chain<AgenticMessage>().appendAgenticToolsNode({ component: "model" } as never, { key: "tools" }),
      () => new Workflow<AgenticMessage, AgenticMessage[]>().addToolsNode("tools", untyped, { input: from(START) }),
    ];
    for (const call of calls) {
      const error = thrownBy(call);
      expect(error.code).toBe("INVALID_NODE");
      expect(error.message).toMatch(/Node "tools" is a model, but (add|append)ToolsNode takes a tools node/);
      expect(error.message).toMatch(/call (addModelNode|appendModel)\.$/);
    }
  });

  it("is not known by its name", () => {
    expect(thrownBy(() => new Chain<AgenticMessage[]>().appendModel("openai/gpt-5" as never)).code).toBe(
      "INVALID_NODE",
    );
  });
});
