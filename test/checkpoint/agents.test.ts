import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  asTool,
  Chain,
  createTool,
  END,
  Graph,
  memoryStore,
  START,
  textOf,
  toolCallsOr,
  userMessage,
} from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { turns } from "../run/gate.js";
import { call, calls, textsOf } from "../tools/node/calls.js";
import { asks, chainOf, works } from "./asking-tools.js";
import { effects, idOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("Graphs as tools, and agents", () => {
  it("a graph as a tool waits where it asks", async () => {
    const ran = effects();
    const inner = new Chain<{ text: string }>()
      .append(({ text }) => `${text}${ran.did("inner first")}`)
      .append(async (text, ctx) => `${text} ${await ctx.ask("q", "inner?")}`, { key: "ask" })
      .compile({ name: "inner" });
    const tool = asTool(inner, { id: "graph", description: "Runs.", inputSchema: z.object({ text: z.string() }) });
    const app = chainOf({ tools: [tool, works("fine", ran)] });
    const message = calls(call("graph", { text: "x" }, "1"), call("fine", {}, "2"));
    const question = await questionOf(app.invoke(message, run));
    expect(question.address).toBe("runnable:app;node:tools;tool:graph:1;runnable:inner;node:ask");
    expect(textsOf(await app.resume("run", { [question.id]: "yes" }))).toEqual(["x1 yes", "2 done"]);
    expect(ran.counts()).toEqual({ "inner first": 1, 2: 1 });
  });

  it("a tool keeps its own state beside the graph that it runs", async () => {
    const inner = new Chain<string>()
      .append(async (text, ctx) => `${text} ${await ctx.ask("q", "inner?")}`)
      .compile({ name: "inner" });
    const ran = effects();
    const tool = createTool({
      id: "both",
      description: "Asks itself and runs a graph.",
      execute: async (_input, ctx) => {
        const price = await ctx.once("price", () => ran.did("price"));
        const [own, theirs] = await Promise.all([ctx.ask("own", "own?"), inner.invoke("x", { parent: ctx })]);
        return `${price} ${own} ${theirs}`;
      },
    });
    const app = chainOf({ tools: [tool] });
    const both = await interruptOf(app.invoke(calls(call("both")), run));
    const rest = await interruptOf(app.resume("run", { [idOf(both, "inner?")]: "i" }));
    expect(infosOf(rest)).toEqual(["own?"]);
    expect(textsOf(await app.resume("run", { [idOf(both, "own?")]: "o" }))).toEqual(["1 o x i"]);
  });

  it("an agent does not ask its model again after an answer", async () => {
    const ran = effects();
    const model = scriptedModel(
      calls(call("asks", {}, "1"), call("fine", {}, "2")),
      calls(call("asks", {}, "3")),
      (messages) => assistantMessage(`${messages.length} messages`),
    );
    const tools = new AgenticToolsNode([asks("asks", ran), works("fine", ran)]);
    const app = new Graph<AgenticMessage[], AgenticMessage>()
      .withState(() => ({ history: [] as AgenticMessage[] }))
      .addModelNode("model", model, {
        before: (input, state) => {
          state.history.push(...input);
          return [...state.history];
        },
      })
      .addToolsNode("tools", tools, {
        before: (message, state) => {
          state.history.push(message);
          return message;
        },
      })
      .addEdge(START, "model")
      .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
      .addEdge("tools", "model")
      .compile({ name: "agent", store: memoryStore() });
    const first = await questionOf(app.stream([userMessage("hello")], run).concat());
    expect(first.address).toBe("runnable:agent;node:tools;tool:asks:1");
    const third = await questionOf(app.resume("run", { [first.id]: "a" }));
    expect(third.address).toBe("runnable:agent;node:tools;tool:asks:3");
    const last = await app.resumeStream("run", { [third.id]: "b" }).concat();
    // hello, the first message, two results, the second message, one result
    expect(textOf(last)).toBe("6 messages");
    expect(model.calls).toHaveLength(3);
    expect(ran.counts()).toEqual({ 1: 2, 2: 1, 3: 2 });
  });

  it("two tools nodes beside each other wait each on their own", async () => {
    const ran = effects();
    const node = (id: string) => new AgenticToolsNode([asks(id, ran), works("fine", ran)]);
    const app = new Chain<AgenticMessage>()
      .appendParallel({
        left: new Chain<AgenticMessage>()
          .append(() => calls(call("l", {}, "l"), call("fine", {}, "lf")))
          .append(node("l")),
        right: new Chain<AgenticMessage>()
          .append(() => calls(call("r", {}, "r"), call("fine", {}, "rf")))
          .append(node("r")),
      })
      .append(({ left, right }) => [...textsOf(left), ...textsOf(right)])
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke(userMessage(""), run));
    await interruptOf(app.resume("run", { [idOf(both, "r?")]: "R" }));
    expect(await app.resume("run", { [idOf(both, "l?")]: "L" })).toEqual(["l: L", "lf done", "r: R", "rf done"]);
    expect(ran.counts()).toEqual({ l: 2, lf: 1, r: 2, rf: 1 });
  });

  it("a slow call is waited for, and not run again", async () => {
    const ran = effects();
    const slow = works("slow", ran, async (ctx) => {
      await turns();
      return `${ctx.toolCallId} ${ctx.signal.aborted}`;
    });
    const app = chainOf({ tools: [slow, asks("asks", ran)] });
    const { id } = await questionOf(app.invoke(calls(call("asks", {}, "1"), call("slow", {}, "2")), run));
    expect(textsOf(await app.resume("run", { [id]: "a" }))).toEqual(["1: a", "2 false"]);
    expect(ran.counts()).toEqual({ 1: 2, 2: 1 });
  });
});
