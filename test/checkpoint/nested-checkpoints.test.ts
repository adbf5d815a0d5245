import {
  AgenticToolsNode,
  assistantMessage,
  asTool,
  Chain,
  type CheckpointStore,
  createTool,
  END,
  functionToolCall,
  Graph,
  memoryStore,
  START,
  toolResultsOf,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { watchedStore } from "./watched-store.js";

const durabilities = [["exit"], ["step"]] as const;
const callsOf = (...names: string[]) =>
  assistantMessage(names.map((name) => functionToolCall({ callId: name, name, arguments: "{}" })));

describe.each(durabilities)("One checkpoint holds everything inside a run (durability %s)", (durability) => {
  it("graphs in graphs, as builders and compiled, each with its state", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const app = (rows: CheckpointStore) => {
      const innermost = new Chain<string>()
        .withState(() => ({ seen: [] as string[] }))
        .append((text, ctx) => {
          log.push("in 1");
          ctx.state.seen.push("in");
          return text;
        })
        .append(async (text, ctx) => `${text}${String(await ctx.ask("go", "?"))}${ctx.state.seen.join()}`);
      const middle = new Graph<string, string>()
        .withState(() => ({ seen: [] as string[] }))
        .addNode("before", (text: string, ctx) => {
          log.push("mid 1");
          ctx.state.seen.push("mid");
          return text;
        })
        .addNode("inner", innermost.compile({ name: "a name of its own" }))
        .addNode("after", (text: string, ctx) => text + ctx.state.seen.join())
        .addEdge(START, "before")
        .addEdge("before", "inner")
        .addEdge("inner", "after")
        .addEdge("after", END);
      return new Chain<string>()
        .append((text) => {
          log.push("top 1");
          return text;
        })
        .append(middle)
        .compile({ store: rows, durability });
    };
    const { id } = await questionOf(app(store).invoke("a", { checkpointId: "id" }));
    expect(await store.ids()).toEqual(["id"]);
    expect(await app(await store.copy()).resume("id", { [id]: "!" })).toBe("a!inmid");
    expect(log).toEqual(["top 1", "mid 1", "in 1"]);
  });

  it("the visit of a nested graph in a loop, and not those before", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const inner = new Chain<string>()
      .withState(() => ({ visits: 0 }))
      .append((text, ctx) => {
        ctx.state.visits += 1;
        log.push(text);
        return text;
      })
      .append(async (text, ctx) => (text.length === 2 ? text + String(await ctx.ask("go", "?")) : `${text}x`))
      .append((text, ctx) => text + ctx.state.visits);
    const app = new Graph<string, string>()
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addBranch("inner", ["inner", END], (text) => (text.length < 8 ? "inner" : END))
      .compile({ store, durability });
    const { id } = await questionOf(app.invoke("", { checkpointId: "id" }));
    expect(log).toEqual(["", "x1"]);
    expect(await app.resume("id", { [id]: "!" })).toBe("x1!1x1x1");
    expect(log).toEqual(["", "x1", "x1!1", "x1!1x1"]);
  });

  it("runs inside of a node: finished ones are remembered, the one that waits goes on", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const note = (key: string) => (text: string) => {
      log.push(key);
      return text + key;
    };
    const app = () => {
      const quick = new Chain<string>().append(note("q")).compile({ name: "quick" });
      const asks = new Chain<string>()
        .append(note("1"))
        .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
        .append(note("2"))
        .compile({ name: "asks" });
      return new Chain<string>()
        .append(async (text, ctx) => {
          log.push("node");
          const one = await quick.invoke(text, { parent: ctx });
          const two = await quick.invoke(text, { parent: ctx, key: "second" });
          const three = await asks.invoke(text, { parent: ctx });
          return [one, two, three].join("|");
        })
        .compile({ store, durability });
    };
    const { id, address } = await questionOf(app().invoke("a", { checkpointId: "id" }));
    expect(address).toMatch(/;node:node_0;runnable:asks;node:node_1$/);
    expect(await app().resume("id", { [id]: "!" })).toBe("aq|aq|a1!2");
    expect(log).toEqual(["node", "q", "q", "1", "node", "2"]);
  });

  it("a run inside of a node that is read as a stream", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = () => {
      const asks = new Chain<string>()
        .append((text) => text + log.push("1"))
        .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
        .append(async function* (text) {
          yield* text;
        })
        .compile({ name: "asks" });
      return new Chain<string>()
        .append((text, ctx) => asks.stream(text, { parent: ctx }))
        .compile({ store, durability });
    };
    const { id } = await questionOf(app().stream("a", { checkpointId: "id" }).concat());
    expect(
      await app()
        .resumeStream("id", { [id]: "!" })
        .concat(),
    ).toBe("a1!");
    expect(log).toEqual(["1"]);
  });

  it("calls of tools: those that are done are not run again", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = () => {
      const tools = new AgenticToolsNode([
        createTool({ id: "one", description: "One.", execute: () => `one ${log.push("one")}` }),
        createTool({
          id: "asks",
          description: "Asks.",
          execute: async (_, ctx) => {
            log.push("asks");
            return `asked ${String(await ctx.ask("go", "?"))}`;
          },
        }),
        createTool({ id: "two", description: "Two.", execute: async () => `two ${log.push("two")}` }),
      ]);
      return new Chain<string>()
        .append(() => callsOf("one", "asks", "two"))
        .appendToolsNode(tools)
        .append((results) =>
          results
            .flatMap(toolResultsOf)
            .map(({ result }) => result)
            .join(),
        )
        .compile({ store, durability });
    };
    const { id } = await questionOf(app().invoke("", { checkpointId: "id" }));
    expect(log).toEqual(["one", "asks", "two"]);
    expect(await app().resume("id", { [id]: "!" })).toBe("one 1,asked !,two 3");
    expect(log).toEqual(["one", "asks", "two", "asks"]);
  });

  it("graphs that are tools, and ask", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = () => {
      const asks = new Chain<Record<string, unknown>>()
        .append(() => `inner${log.push("inner")}`)
        .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
        .compile({ name: "asks" });
      const tools = new AgenticToolsNode([asTool(asks, { id: "graph", description: "A graph.", inputSchema: {} })]);
      return new Chain<string>()
        .append(() => callsOf("graph"))
        .appendToolsNode(tools)
        .append((results) =>
          results
            .flatMap(toolResultsOf)
            .map(({ result }) => result)
            .join(),
        )
        .compile({ store, durability });
    };
    const { id } = await questionOf(app().invoke("", { checkpointId: "id" }));
    expect(await app().resume("id", { [id]: "!" })).toBe("inner1!");
    expect(log).toEqual(["inner"]);
  });

  it("but not a run inside of a node that has no parent: that is one of its own", async () => {
    const store = watchedStore();
    const asks = new Chain<string>().append(async (text, ctx) => text + String(await ctx.ask("go", "?")));
    const app = new Chain<string>()
      .append((text) => asks.compile({ store, durability, name: "own" }).invoke(text, { checkpointId: "inner" }), {
        key: "outer",
      })
      .compile({ store, durability });
    await errorOrInterrupt(app.invoke("a", { checkpointId: "outer" }));
    expect(await store.ids()).toContain("inner");
  });
});

describe("A nested run", () => {
  it("with a parent takes no checkpointId of its own, or it is saved with its parent all the same", async () => {
    const store = watchedStore();
    const asks = new Chain<string>().append(async (text, ctx) => text + String(await ctx.ask("go", "?")));
    const app = () =>
      new Chain<string>()
        .append((text, ctx) => asks.compile({ name: "asks" }).invoke(text, { parent: ctx }))
        .compile({ store });
    const { id } = await questionOf(app().invoke("a", { checkpointId: "outer" }));
    expect(await store.ids()).toEqual(["outer"]);
    expect(await app().resume("outer", { [id]: "!" })).toBe("a!");
  });

  it("keeps two children apart by their keys, also when both ask", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = () => {
      const asks = new Chain<string>()
        .append(async (text, ctx) => {
          const answer = await ctx.ask("go", text);
          log.push(text);
          return `${text}${String(answer)}`;
        })
        .compile({ name: "asks" });
      return new Chain<string>()
        .append(async (_text, ctx) =>
          (await Promise.all(["x", "y"].map((key) => asks.invoke(key, { parent: ctx, key })))).join(),
        )
        .compile({ store });
    };
    const error = await app()
      .invoke("", { checkpointId: "id" })
      .catch((thrown: unknown) => thrown as { interrupts: { id: string; info: string }[] });
    const { interrupts } = error as { interrupts: { id: string; info: string }[] };
    const [x, y] = ["x", "y"].map((info) => interrupts.find((question) => question.info === info)?.id ?? "");
    const left = await questionOf(app().resume("id", { [y ?? ""]: 2 }));
    expect(left.id).toBe(x);
    expect(log).toEqual(["y"]);
    expect(await app().resume("id", { [x ?? ""]: 1 })).toBe("x1,y2");
    expect(log).toEqual(["y", "x"]);
  });

  it("of a finished task is forgotten with it", async () => {
    const store = memoryStore();
    const child = new Chain<string>().append((text) => `${text}.`).compile({ name: "child" });
    const app = new Graph<string, string>()
      .addNode("node", (text: string, ctx) => child.invoke(text, { parent: ctx }))
      .addNode("asks", async (text: string, ctx) => text + String(await ctx.ask("go", "?")))
      .addEdge(START, "node")
      .addEdge("node", "asks")
      .addBranch("asks", ["node", END], (text) => (text.length < 6 ? "node" : END))
      .compile({ store });
    const one = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const two = await questionOf(app.resume("id", { [one.id]: "1" }));
    expect(await app.resume("id", { [two.id]: "234" })).toBe("a.1.234");
    expect((await errorOf(app.resume("id"))).code).toBe("UNKNOWN_CHECKPOINT");
  });
});

const errorOrInterrupt = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);
