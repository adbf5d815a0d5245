import {
  type AgenticMessage,
  Chain,
  createTool,
  END,
  each,
  functionToolCall,
  Graph,
  memoryStore,
  START,
  textOf,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";

const nap = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const call = (callId: string, name: string, ms: number) =>
  functionToolCall({ callId, name, arguments: JSON.stringify({ ms }) });
const wait = createTool({
  id: "wait",
  description: "Waits.",
  inputSchema: { type: "object", properties: { ms: { type: "number" } } },
  execute: async ({ ms }) => {
    await nap(Number(ms));
    return `waited ${ms}`;
  },
});
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe("calls of an entry", () => {
  it("are the results of tool calls that were saved before their node ended", async () => {
    const model = scriptedModel([call("a;1", "wait", 1), call("b", "wait", 40), call("c", "wait", 80)], "Done.");
    const agent = createAgent({ name: "helper", model, tools: [wait] });
    const app = new Graph<string, string>()
      .addNode("ask", (text: string) => [userMessage(text)])
      .addNode("helper", agent.graph)
      .addNode("tell", (answer: AgenticMessage) => textOf(answer))
      .addEdge(START, "ask")
      .addEdge("ask", "helper")
      .addEdge("helper", "tell")
      .addEdge("tell", END)
      .compile({ name: "outer", store: memoryStore(), durability: "step", history: true });
    await app.invoke("Hi", { checkpointId: "c-1" });
    const entries = (await all(app.history("c-1"))).reverse();
    const around = "runnable:outer;node:helper;node:tools";
    expect(entries.flatMap(({ calls = [] }) => calls)).toEqual([`${around};tool:wait:a%3B1`, `${around};tool:wait:b`]);
    expect(entries.filter(({ cause, ran, calls }) => cause === "task" && ran.length === 0 && !calls)).toEqual([]);
    const limited = await all(app.history("c-1", { limit: 5 }));
    expect(limited).toEqual(entries.toReversed().slice(0, 5));
    const [first] = limited.slice(-1);
    expect(await all(app.history("c-1", { before: first?.id ?? "" }))).toEqual(entries.toReversed().slice(5));
  });

  it("are items, and what once remembers", async () => {
    const app = new Chain<number[]>()
      .append(
        each(
          async (n: number, ctx) => {
            const price = await ctx.once("price", async () => n * 2);
            await nap(n * 120);
            return price;
          },
          { concurrency: 2 },
        ),
        { key: "all" },
      )
      .compile({ name: "outer", store: memoryStore(), durability: "step", history: true });
    expect(await app.invoke([1, 2, 3], { checkpointId: "c-1" })).toEqual([2, 4, 6]);
    const calls = (await all(app.history("c-1"))).reverse().flatMap((entry) => entry.calls ?? []);
    const at = "runnable:outer;node:all;item:";
    expect(calls).toEqual(expect.arrayContaining([`${at}0;once:price`, `${at}1;once:price`, `${at}0`, `${at}1`]));
    expect(new Set(calls).size).toBe(calls.length);
  });

  it("counts a node that is entered again", async () => {
    const app = new Graph<number, number>()
      .addNode("count", (n: number, ctx) => ctx.once("next", async () => n + 1))
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (n) => (n < 3 ? "count" : END))
      .compile({ name: "loop", store: memoryStore(), durability: "step", history: true });
    await app.invoke(0, { checkpointId: "c-1" });
    const calls = (await all(app.history("c-1"))).flatMap((entry) => entry.calls ?? []);
    expect(calls).toEqual(Array(3).fill("runnable:loop;node:count;once:next"));
  });

  it("are absent where all that was saved is in nodes that ended", async () => {
    const app = new Chain<string>()
      .append((text) => text, { key: "a" })
      .compile({ store: memoryStore(), durability: "step", history: true });
    await app.invoke("x", { checkpointId: "c-1" });
    expect((await all(app.history("c-1"))).every((entry) => !("calls" in entry))).toBe(true);
  });
});

describe("a fork of an agent", () => {
  const agentOf = () => {
    const model = scriptedModel([call("a", "wait", 1)], "100 degrees.", "100 degrees.");
    return createAgent({ name: "helper", model, tools: [wait], store: memoryStore(), history: true });
  };

  it.each(["model", "tools"])("refuses another output of %s, and says what works", async (path) => {
    const agent = agentOf();
    await agent.generate("Hi", { threadId: "t-1" });
    const error = await errorOf(agent.fork({ threadId: "t-1" }, { entry: "2", outputs: { [path]: [] } }));
    expect(error).toMatchObject({ code: "NOT_EDITABLE" });
    expect(error.message).toMatch(/log of messages/);
    expect(error.message).toMatch(/replaces/);
    await agent.generate("Hi", { checkpointId: "c-1" });
    const other = await errorOf(agent.fork("c-1", { entry: "2", outputs: { [path]: [] } }));
    expect(other).toMatchObject({ code: "NOT_EDITABLE", message: error.message });
  });

  it("refuses it inside another graph, where the output of the whole node can be replaced", async () => {
    const model = scriptedModel([call("a", "wait", 1)], "100 degrees.");
    const agent = createAgent({ name: "helper", model, tools: [wait] });
    const app = new Graph<string, string>()
      .addNode("ask", (text: string) => [userMessage(text)])
      .addNode("helper", agent.graph)
      .addNode("tell", (answer: AgenticMessage) => textOf(answer))
      .addEdge(START, "ask")
      .addEdge("ask", "helper")
      .addEdge("helper", "tell")
      .addEdge("tell", END)
      .compile({ store: memoryStore(), durability: "step", history: true });
    await app.invoke("Hi", { checkpointId: "c-1" });
    const entries = await all(app.history("c-1"));
    const inside = entries.find(({ ran }) => ran.includes("helper/model"))?.id ?? "";
    const error = await errorOf(app.fork("c-1", { entry: inside, outputs: { "helper/model": [] } }));
    expect(error).toMatchObject({ code: "NOT_EDITABLE" });
    expect(error.message).toContain('its node "helper"');
    const whole = entries.find(({ ran }) => ran.includes("helper"))?.id ?? "";
    const message = { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: "7 degrees." }] };
    const copy = await app.fork("c-1", { entry: whole, outputs: { helper: message } });
    expect(await app.resume(copy)).toBe("7 degrees.");
  });
});
