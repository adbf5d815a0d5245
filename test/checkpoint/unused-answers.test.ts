import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CompiledGraph,
  createTool,
  END,
  each,
  functionToolCall,
  memoryStore,
  type NodeContext,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../run/loose-graph.js";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf } from "./interrupt-of.js";

/*
 * A run waits for an answer. Meanwhile the code at its place changes, and does not ask this question any more: the answer must
 * not be dropped without a word, and code that asks still gets it.
 */

type Asks = (ctx: NodeContext) => unknown;
type App = CompiledGraph<never, unknown>;

const asks: Asks = (ctx) => ctx.ask("go", "Go?");
const asksNothing: Asks = () => "nothing";
const asksSomethingElse: Asks = async (ctx) => ctx.ask("other", "Other?");

const store = memoryStore();

/** Places that can ask, with the code at them. */
const places: Readonly<Record<string, (code: Asks) => App>> = {
  "a node": (code) =>
    looseGraph()
      .addNode("n", (_: unknown, ctx: NodeContext) => code(ctx))
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile({ store }),
  "a streaming node": (code) =>
    looseGraph()
      .addNode(
        "n",
        async function* (_: unknown, ctx: NodeContext) {
          yield "a";
          yield String(await code(ctx));
        },
        { concat: "text" },
      )
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile({ store, triggerMode: "allPredecessor" }),
  "a node of an inner graph": (code) =>
    looseGraph()
      .addNode(
        "inner",
        looseGraph()
          .addNode("n", (_: unknown, ctx: NodeContext) => code(ctx))
          .addEdge(START, "n")
          .addEdge("n", END)
          .compile({}),
      )
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ store }),
  "a branch": (code) =>
    looseGraph()
      .addNode("n", () => "n")
      .addNode("t", () => "t")
      .addEdge(START, "n")
      .addBranch("n", ["t"], async (_: never, ctx: never) => {
        await code(ctx as NodeContext);
        return "t";
      })
      .addEdge("t", END)
      .compile({ store }),
  "an item": (code) =>
    looseGraph()
      .addNode("list", each((async (_: unknown, ctx: NodeContext) => code(ctx)) as never))
      .addNode("first", () => [1])
      .addEdge(START, "first")
      .addEdge("first", "list")
      .addEdge("list", END)
      .compile({ store }),
  "a tool": (code) => {
    const tool = createTool({
      id: "tool",
      description: "Asks.",
      inputSchema: { type: "object" },
      execute: async (_, ctx) => String(await code(ctx as never)),
    });
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    const call = assistantMessage([functionToolCall({ callId: "1", name: "tool", arguments: "{}" })]);
    return looseGraph()
      .addNode("call", () => call)
      .addNode("tools", node)
      .addEdge(START, "call")
      .addEdge("call", "tools")
      .addEdge("tools", END)
      .compile({ store });
  },
};

const ways = {
  resume: (app: App, id: string, answers?: object) => app.resume(id, answers as never),
  resumeStream: (app: App, id: string, answers?: object) => app.resumeStream(id, answers as never).concat(),
};

let runs = 0;

describe.each(Object.entries(places))("An answer to %s", (name, build) => {
  describe.each(Object.entries(ways))("given with %s", (_way, resume) => {
    it("that the code does not ask for any more fails the run, and is kept for code that asks", async () => {
      const id = `unused ${runs++}`;
      const { interrupts } = await interruptOf(build(asks).invoke("x" as never, { checkpointId: id }));
      const error = await errorOf(resume(build(asksNothing), id, { [interrupts[0].id]: "yes" }));
      expect(error.code).toBe(name === "a tool" ? "TOOL_FAILED" : "GRAPH_CHANGED");
      expect(error.message).toContain('The answer to ask("go")');
      expect(error.nodePath.length).toBeGreaterThan(0);
      expect(JSON.stringify(await resume(build(asks), id))).not.toContain("nothing");
    });

    it("is not in the way of another question", async () => {
      const id = `other ${runs++}`;
      const { interrupts } = await interruptOf(build(asks).invoke("x" as never, { checkpointId: id }));
      const next = await interruptOf(resume(build(asksSomethingElse), id, { [interrupts[0].id]: "yes" }));
      expect(next.interrupts.map(({ info }) => info)).toEqual(["Other?"]);
    });
  });
});

describe("An answer that a later attempt does not need", () => {
  it("does not stop the fallback of its node", async () => {
    let isDown = false;
    const app = looseGraph()
      .addNode(
        "n",
        async (_: unknown, ctx: NodeContext) => {
          if (isDown) throw new Error("down");
          return ctx.ask("go", "Go?");
        },
        { fallback: () => "instead" },
      )
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile({ store });
    const { interrupts } = await interruptOf(app.invoke("x" as never, { checkpointId: "fallback" }));
    isDown = true;
    expect(await app.resume("fallback", { [interrupts[0].id]: "yes" })).toBe("instead");
  });
});

describe("A chain of functions without names that waits", () => {
  const ask = async (x: number, ctx: NodeContext) => `pay ${x}: ${await ctx.ask("ok", `Pay ${x}?`)}`;
  const first = () => new Chain<number>().append((x) => x + 1);
  const waiting = async (id: string, key?: string) => {
    const app = first()
      .append(async (x, ctx) => ask(x, ctx), { key })
      .compile({ store });
    const { interrupts } = await interruptOf(app.invoke(1, { checkpointId: id }));
    return { app, answers: { [interrupts[0].id]: "yes" } };
  };

  it("is GRAPH_CHANGED when a step was inserted before it, and advises a key", async () => {
    const { app, answers } = await waiting("inserted");
    const changed = first()
      .append((x) => x * 1_000)
      .append(async (x, ctx) => ask(x, ctx))
      .compile({ store });
    const error = await errorOf(changed.resume("inserted", answers));
    expect(error.code).toBe("GRAPH_CHANGED");
    expect(error.message).toMatch(/\bkey\b/);
    expect(await app.resume("inserted", answers)).toBe("pay 2: yes");
  });

  it("is GRAPH_CHANGED when one step was inserted before it and one removed behind it", async () => {
    const long = first()
      .append(async (x, ctx) => ask(x, ctx))
      .append((text) => text)
      .compile({ store });
    const { interrupts } = await interruptOf(long.invoke(1, { checkpointId: "swapped" }));
    const changed = first()
      .append((x) => x * 1_000)
      .append(async (x, ctx) => ask(x, ctx))
      .compile({ store });
    expect((await errorOf(changed.resume("swapped", { [interrupts[0].id]: "yes" }))).code).toBe("GRAPH_CHANGED");
    expect(await long.resume("swapped")).toBe("pay 2: yes");
  });

  it("goes on with a step of a key, whatever was inserted", async () => {
    const { answers } = await waiting("keyed", "pay");
    const changed = first()
      .append((x) => x * 1_000)
      .append(async (x, ctx) => ask(x, ctx), { key: "pay" })
      .compile({ store });
    expect(await changed.resume("keyed", answers)).toBe("pay 2: yes");
  });
});
