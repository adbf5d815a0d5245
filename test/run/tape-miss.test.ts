import {
  AgenticToolsNode,
  assistantMessage,
  batch,
  Chain,
  createTool,
  END,
  each,
  functionToolCall,
  Graph,
  KumikoError,
  START,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import type { CustomModel } from "kumiko/components";
import { fallbackModel, retryModel } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, test } from "vitest";

const miss = () => new KumikoError("TAPE_MISS", "The tape has no answer.");
const missing = (): CustomModel => ({
  component: "model",
  generate: async () => {
    throw miss();
  },
});
async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const chunk of stream) all.push(chunk);
  return all;
}
const tapeMiss = { code: "TAPE_MISS" };
const call = assistantMessage([functionToolCall({ callId: "1", name: "lookup", arguments: "{}" })]);
const lookup = createTool({
  id: "lookup",
  description: "Looks up.",
  execute: async () => {
    throw miss();
  },
});

describe("the miss of a tape ends the run, and nothing answers it", () => {
  test("no fallback of a model, and no retry", async () => {
    const other = scriptedModel(assistantMessage("other"));
    const model = fallbackModel([retryModel(missing(), { retryOn: () => true, delayMs: 0 }), other]);
    const app = new Chain<string>()
      .append((text) => [userMessage(text)])
      .appendModel(model)
      .compile();
    await expect(app.invoke("Hello")).rejects.toMatchObject(tapeMiss);
    await expect(readAll(app.stream("Hello"))).rejects.toMatchObject(tapeMiss);
    expect(other.calls).toHaveLength(0);
  });

  test("no policy and no error branch of a node", async () => {
    let calls = 0;
    const graph = new Graph<string, string>()
      .addNode(
        "ask",
        async (): Promise<string> => {
          calls += 1;
          throw miss();
        },
        { retry: { attempts: 3, delayMs: 0, retryOn: () => true }, fallback: () => "fallback" },
      )
      .addNode("branch", async (_failure: object) => "branch")
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .addErrorBranch("ask", ["branch"], () => "branch")
      .addEdge("branch", END)
      .compile();
    await expect(graph.invoke("x")).rejects.toMatchObject(tapeMiss);
    await expect(readAll(graph.stream("x"))).rejects.toMatchObject(tapeMiss);
    expect(calls).toBe(2);
  });

  test("no onItemError, and no settled batch", async () => {
    const item = async (): Promise<string> => {
      throw miss();
    };
    const app = new Chain<string[]>().append(each(item, { onItemError: () => "kept" })).compile();
    await expect(app.invoke(["a", "b"])).rejects.toMatchObject(tapeMiss);
    await expect(batch(new Chain<string>().append(item).compile(), ["a"], { settled: true })).rejects.toMatchObject(
      tapeMiss,
    );
  });

  test.each(["result", "handler"] as const)("no onToolError: %s", async (kind) => {
    const onToolError = kind === "result" ? kind : () => "handled";
    for (const tool of [
      lookup,
      createTool({
        id: "lookup",
        description: "Looks up.",
        execute: () => {
          throw miss();
        },
      }),
    ]) {
      const tools = new AgenticToolsNode({ tools: [tool], onToolError });
      const app = new Chain<typeof call>().append(tools).compile();
      await expect(app.invoke(call)).rejects.toMatchObject(tapeMiss);
      await expect(readAll(app.stream(call))).rejects.toMatchObject(tapeMiss);
    }
  });

  test("no middleware of an agent", async () => {
    const answering = createMiddleware({
      name: "answering",
      wrapModelCall: async (_request, next) => {
        try {
          return await (await next()).message();
        } catch {
          return assistantMessage("Sorry.");
        }
      },
      wrapToolCall: async (_call, next) => {
        try {
          return await next();
        } catch {
          return "Sorry.";
        }
      },
    });
    const first = createAgent({ model: missing(), middleware: [answering] });
    await expect(first.generate("Hello")).rejects.toMatchObject(tapeMiss);
    await expect(first.stream("Hello").result).rejects.toMatchObject(tapeMiss);
    const second = createAgent({
      model: scriptedModel(call, assistantMessage("done")),
      tools: [lookup],
      middleware: [answering],
    });
    await expect(second.generate("Hello")).rejects.toMatchObject(tapeMiss);
    const streamed = createAgent({
      model: scriptedModel(call, assistantMessage("done")),
      tools: [lookup],
      middleware: [answering],
    });
    await expect(streamed.stream("Hello").result).rejects.toMatchObject(tapeMiss);
  });
});
