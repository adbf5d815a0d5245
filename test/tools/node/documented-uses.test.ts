import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  componentHandlers,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  toolOptions,
  userMessage,
} from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, rejection, settled, textsOf, tool } from "./calls.js";

const ran: string[] = [];
const searchTool = tool("search", () => ran.push("search"));
const calculatorTool = tool("calculate", () => ran.push("calculate"));
const weatherTool = createTool({
  id: "get_weather",
  description: "Weather of a city on a day.",
  inputSchema: z.object({ city: z.string(), date: z.string() }),
  execute: ({ city, date }) => `${city}, ${date}: 25 °C`,
});
const tools = [searchTool, weatherTool, calculatorTool];
const input = assistantMessage(
  functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city": "深圳", "date": "tomorrow"}' }),
);
const output = [
  {
    role: "user",
    contentBlocks: [
      { type: "function_tool_result", callId: "1", name: "get_weather", result: "深圳, tomorrow: 25 °C" },
    ],
  },
];

describe("examples of Eino's documents", () => {
  it.each([
    ["a list", new AgenticToolsNode(tools)],
    ["a config", new AgenticToolsNode({ tools })],
  ])("a node of %s of three tools runs the one that is called", async (_given, node) => {
    expect(await node.invoke(input)).toEqual(output);
    expect(await node.stream(input).concat()).toEqual(output);
    expect(ran).toEqual([]);
  });

  it("it is a step of a chain and a node of a graph, between the same types", async () => {
    const node = new AgenticToolsNode(tools);
    const chain = new Chain<AgenticMessage>().appendAgenticToolsNode(node).compile();
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addAgenticToolsNode("tools", node)
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    expect(await chain.invoke(input)).toEqual(output);
    expect(await graph.invoke(input)).toEqual(output);
  });

  it("what a model gives goes straight into it", async () => {
    const node = new AgenticToolsNode(tools);
    const chain = new Chain<AgenticMessage[]>().appendModel(scriptedModel(input, input)).appendAgenticToolsNode(node);
    expect(await chain.compile().invoke([userMessage("How is it tomorrow?")])).toEqual(output);
    const graph = new Graph<AgenticMessage[], AgenticMessage[]>()
      .addModelNode("model", scriptedModel(input, input))
      .addAgenticToolsNode("tools", node)
      .addEdge(START, "model")
      .addEdge("model", "tools")
      .addEdge("tools", END)
      .compile();
    const question = [userMessage("How is it tomorrow?")];
    expect(await graph.invoke(question)).toEqual(output);
    expect(await graph.stream(question).concat()).toEqual(output);
  });

  it("a tool has options of its own, which functions set", async () => {
    interface MyToolOptions {
      timeout: number;
      maxRetries: number;
      retryInterval: number;
    }
    const options = toolOptions<MyToolOptions>("my_tool", { timeout: 1_000, maxRetries: 3, retryInterval: 100 });
    const withTimeout = (timeout: number) => options.with({ timeout });
    const mine = createTool({ id: "mine", description: "", options, execute: (_input, ctx) => ctx.options });
    const node = new AgenticToolsNode([mine, weatherTool]);
    const results = await node.invoke(calls(call("mine")), { options: { tool: [withTimeout(5_000)] } });
    expect(textsOf(results)).toEqual(['{"timeout":5000,"maxRetries":3,"retryInterval":100}']);
  });

  it("callbacks of a run reach the tools inside, and know the call", async () => {
    const log: unknown[] = [];
    const helper = componentHandlers({
      tool: {
        onStart: (info, { arguments: text }) => log.push(["start", info.toolCallId, text]),
        onEnd: (info, { result }) => log.push(["end", info.toolCallId, result]),
      },
    });
    const runnable = new Chain<AgenticMessage>().appendAgenticToolsNode(new AgenticToolsNode(tools)).compile();
    await runnable.invoke(input, { callbacks: [helper] });
    expect(log).toEqual([
      ["start", "1", '{"city": "深圳", "date": "tomorrow"}'],
      ["end", "1", "深圳, tomorrow: 25 °C"],
    ]);
    await runnable.invoke(input);
    expect(log).toHaveLength(2);
  });

  it("a handler may close its copy of a stream early, and nobody misses a chunk", async () => {
    const seen: unknown[] = [];
    const helper = componentHandlers({
      tool: {
        onEndWithStreamOutput: (_info, stream) => {
          void stream.next().then(async ({ value }) => {
            seen.push(value);
            await stream.return?.();
          });
        },
      },
    });
    const count = tool("count", async function* () {
      yield "1";
      yield "2";
      yield "3";
    });
    const runnable = new Chain<AgenticMessage>().appendAgenticToolsNode(new AgenticToolsNode([count])).compile();
    expect(textsOf(await runnable.stream(calls(call("count")), { callbacks: [helper] }).concat())).toEqual(["123"]);
    await settled();
    expect(seen).toEqual([{ result: "1" }]);
  });

  it("order, errors, arguments and middlewares are all settled in one config", async () => {
    const order: string[] = [];
    const say = tool("say", async ({ text }) => {
      order.push(`start ${text}`);
      await settled();
      order.push(`end ${text}`);
      if (text === "bad") throw new Error("no such word");
      return text;
    });
    const node = new AgenticToolsNode({
      tools: [say],
      executeSequentially: true,
      onToolError: "result",
      unknownToolsHandler: (name) => `no ${name} here`,
      toolArgumentsHandler: (_name, text) => text.replace("BAD", "bad"),
      toolCallMiddlewares: [{ invokable: (next) => async (given, ctx) => `<${await next(given, ctx)}>` }],
    });
    const message = calls(call("say", { text: "BAD" }, "1"), call("nope", {}, "2"), call("say", { text: "a" }, "3"));
    const [bad, unknown, good] = blocksOf(await node.invoke(message));
    expect(order).toEqual(["start bad", "end bad", "start a", "end a"]);
    expect(bad).toMatchObject({ isError: true, errorKind: "execution" });
    expect([unknown?.result, good?.result]).toEqual(["<no nope here>", "<a>"]);
  });
});

describe("a run that its caller stops", () => {
  it.each(["invoke", "stream"] as const)(
    "stops a tool that polls its signal and throws, and rejects with an AbortError (%s)",
    async (mode) => {
      const controller = new AbortController();
      const steps: number[] = [];
      const long = createTool({
        id: "long",
        description: "Works in steps.",
        execute: async (_input, { abortSignal }) => {
          for (let step = 0; step < 1_000; step++) {
            if (abortSignal?.aborted) throw new Error("stopped");
            steps.push(step);
            if (step === 2) controller.abort();
            await undefined;
          }
          return "done";
        },
      });
      const app = new Chain<AgenticMessage>().appendAgenticToolsNode(new AgenticToolsNode([long])).compile();
      const options = { signal: controller.signal };
      const message = calls(call("long"));
      const error = await rejection(
        mode === "invoke" ? app.invoke(message, options) : app.stream(message, options).concat(),
      );
      expect((error as Error).name).toBe("AbortError");
      await settled();
      expect(steps).toEqual([0, 1, 2]);
    },
  );
});
