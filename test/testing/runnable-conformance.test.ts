import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  functionToolResult,
  Graph,
  lambda,
  type NodeContext,
  type Runnable,
  START,
  type StreamReader,
  userMessage,
} from "kumiko";
import { type ConformanceCheck, runnableConformance, type Work } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const shouting = { input: "hello", output: "HELLO", chunks: ["hel", "lo"] };

const shout =
  (work: Work) =>
  async (text: string, ctx: NodeContext): Promise<string> => {
    await work(ctx);
    return text.toUpperCase();
  };

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const line = (work: Work) =>
  new Graph<string, string>()
    .addNode("shout", shout(work))
    .addNode("letters", letters)
    .addEdge(START, "shout")
    .addEdge("shout", "letters")
    .addEdge("letters", END);

const runnables: Readonly<Record<string, (work: Work) => Runnable<string, string>>> = {
  "a lambda of invoke": (work) => lambda({ invoke: shout(work) }),
  "a lambda of stream": (work) =>
    lambda({
      stream: async function* (text: string, ctx) {
        await work(ctx);
        for (const letter of text) yield letter.toUpperCase();
      },
    }),
  "a lambda of collect": (work) =>
    lambda({
      collect: async (stream: StreamReader<string>, ctx) => {
        await work(ctx);
        return (await stream.concat()).toUpperCase();
      },
    }),
  "a lambda of transform": (work) =>
    lambda({
      transform: async function* (stream: StreamReader<string>, ctx) {
        await work(ctx);
        for await (const chunk of stream) yield chunk.toUpperCase();
      },
    }),
  "a graph of steps": (work) => line(work).compile({ name: "line" }),
  "a graph of dependencies": (work) => line(work).compile({ triggerMode: "allPredecessor" }),
  "a graph in a graph": (work) =>
    new Graph<string, string>()
      .addNode("line", line(work))
      .addEdge(START, "line")
      .addEdge("line", END)
      .compile({ name: "outer" }),
  "a loop with a branch on streams": (work) =>
    new Graph<string, string>()
      .withState(() => ({ rounds: 0 }))
      .addNode("letters", letters, {
        before: (text, state) => {
          state.rounds += 1;
          return text;
        },
      })
      .addNode("shout", shout(work))
      .addEdge(START, "letters")
      .addStreamBranch("letters", ["letters", "shout"], async (stream, ctx) => {
        for await (const _letter of stream) break;
        return (ctx.state?.rounds ?? 0) < 3 ? "letters" : "shout";
      })
      .addEdge("shout", END)
      .compile(),
  "a chain with a parallel step": (work) =>
    new Chain<string>()
      .appendParallel({ loud: shout(work), letters })
      .append(({ loud }) => loud)
      .compile(),
};

const call = assistantMessage(functionToolCall({ callId: "1", name: "shout", arguments: '{"text":"hello"}' }));
const result = userMessage(functionToolResult({ callId: "1", name: "shout", result: "HELLO" }));

const toolsNode = (work: Work): AgenticToolsNode =>
  new AgenticToolsNode([
    createTool({
      id: "shout",
      description: "Says it loud.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      execute: async (input, ctx) => {
        await work(ctx);
        return String(Reflect.get(Object(input), "text")).toUpperCase();
      },
    }),
  ]);

describe("runnableConformance", () => {
  const suites: Record<string, readonly ConformanceCheck[]> = {
    "a tools node": runnableConformance(toolsNode, { input: call, output: [result] }),
  };
  for (const [name, make] of Object.entries(runnables)) suites[name] = runnableConformance(make, shouting);

  describe.each(Object.entries(suites))("holds for %s", (_name, checks) => {
    it.each(checks.map(({ name, run }) => [name, run] as const))("%s", async (_check, run) => {
      await run();
    });
  });

  it("takes a comparison of one's own", async () => {
    const random = runnableConformance((work) => lambda({ invoke: (_: string, ctx) => work(ctx).then(Math.random) }), {
      input: "",
      output: 0.5,
      equals: (actual) => actual >= 0 && actual < 1,
    });
    const check = random.find(({ name }) => name === "invoke returns the output");
    await expect(check?.run()).resolves.toBeUndefined();
  });
});
