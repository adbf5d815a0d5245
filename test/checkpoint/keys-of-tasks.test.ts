import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  Graph,
  memoryStore,
  type NodeContext,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { call, calls } from "../tools/node/calls.js";
import { effects, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("ctx.taskKey", () => {
  it("is the same each time a node is entered for one task", async () => {
    const keys: string[] = [];
    const app = new Chain<string>()
      .append(async (_text, ctx) => {
        keys.push(ctx.taskKey);
        return [await ctx.ask("1", "1?"), await ctx.ask("2", "2?")];
      })
      .compile({ store: memoryStore() });
    const first = await questionOf(app.invoke("", run));
    const second = await questionOf(app.resume("run", { [first.id]: 1 }));
    await app.resumeStream("run", { [second.id]: 2 }).concat();
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(typeof keys[0]).toBe("string");
  });

  it("is the same after a failure", async () => {
    const keys: string[] = [];
    const ran = effects();
    const app = new Chain<string>()
      .append((text, ctx) => {
        keys.push(ctx.taskKey);
        if (ran.did("try") === 1) throw new Error("once more");
        return text;
      })
      .compile({ store: memoryStore() });
    await errorOf(app.invoke("", run));
    await app.resume("run");
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("differs between nodes, visits and runs", async () => {
    const keys: string[] = [];
    const note = (text: string, ctx: NodeContext) => {
      keys.push(ctx.taskKey);
      return `${text}.`;
    };
    const app = new Graph<string, string>()
      .addNode("a", note)
      .addNode("b", note)
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addBranch("b", ["a", END], (text) => (text.length < 6 ? "a" : END))
      .compile({ store: memoryStore() });
    await app.invoke("", run);
    await app.invoke("", run);
    await app.invoke("");
    expect(keys).toHaveLength(18);
    expect(new Set(keys).size).toBe(18);
  });

  it("differs between visits of a loop also when the run was resumed in between", async () => {
    const keys: string[] = [];
    const app = new Graph<string, string>()
      .addNode("a", async (text: string, ctx) => {
        keys.push(ctx.taskKey);
        return `${text}${await ctx.ask("q", "?")}`;
      })
      .addEdge(START, "a")
      .addBranch("a", ["a", END], (text) => (text.length < 3 ? "a" : END))
      .compile({ store: memoryStore() });
    let question = await questionOf(app.invoke("", run));
    question = await questionOf(app.resume("run", { [question.id]: "." }));
    question = await questionOf(app.resume("run", { [question.id]: "." }));
    await app.resume("run", { [question.id]: "." });
    expect(keys).toHaveLength(6);
    expect(keys.filter((_key, n) => n % 2 === 0)).toEqual(keys.filter((_key, n) => n % 2 === 1));
    expect(new Set(keys).size).toBe(3);
  });

  it("differs between tool calls, and stays with each of them", async () => {
    const keys = new Map<string, string[]>();
    const tool = createTool({
      id: "asks",
      description: "Asks.",
      execute: (_input, ctx) => {
        keys.set(ctx.toolCallId, [...(keys.get(ctx.toolCallId) ?? []), ctx.taskKey]);
        return ctx.ask("q", ctx.toolCallId);
      },
    });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode([tool]))
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke(calls(call("asks", {}, "1"), call("asks", {}, "2")), run));
    await app.resume("run", Object.fromEntries(both.interrupts.map(({ id }) => [id, "yes"])));
    const [first, second] = [keys.get("1"), keys.get("2")];
    expect(first).toEqual([first?.[0], first?.[0]]);
    expect(second).toEqual([second?.[0], second?.[0]]);
    expect(first?.[0]).not.toBe(second?.[0]);
  });

  it("differs between children of one place, and stays with each of them", async () => {
    const keys: string[] = [];
    const child = new Chain<string>()
      .append(async (text, ctx) => {
        keys.push(ctx.taskKey);
        return `${await ctx.ask("q", text)}`;
      })
      .compile({ name: "child" });
    const app = new Chain<string>()
      .append((_text, ctx) => Promise.all(["a", "b"].map((key) => child.invoke(key, { parent: ctx, key }))))
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke("", run));
    await app.resume("run", Object.fromEntries(both.interrupts.map(({ id }) => [id, "yes"])));
    expect(keys).toHaveLength(4);
    expect(keys.slice(0, 2).sort()).toEqual(keys.slice(2).sort());
    expect(new Set(keys).size).toBe(2);
  });

  it("is there without a store and in a lone tools node", async () => {
    const app = new Chain<string>().append((_text, ctx) => ctx.taskKey).compile();
    const keys = [await app.invoke(""), await app.invoke("")];
    expect(keys[0]).not.toBe(keys[1]);
    const seen: string[] = [];
    const tool = createTool({
      id: "note",
      description: "Notes.",
      execute: (_input, ctx) => {
        seen.push(ctx.taskKey);
        return "";
      },
    });
    await new AgenticToolsNode([tool]).invoke(calls(call("note", {}, "1"), call("note", {}, "2")));
    expect(new Set(seen).size).toBe(2);
  });
});
