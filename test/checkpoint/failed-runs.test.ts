import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  memoryStore,
  START,
  ToolError,
  toolResultsOf,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { forever, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { watchedStore } from "./watched-store.js";

const boom = new Error("boom");
const durabilities = [["exit"], ["step"]] as const;

describe.each(durabilities)("A run that failed (durability %s)", (durability) => {
  it("goes on with resume(id): the failed node gets its input again, and none before it runs", async () => {
    const log: string[] = [];
    let failures = 2;
    const app = new Chain<string>()
      .append((text) => {
        log.push(`a ${text}`);
        return `${text}a`;
      })
      .append(
        (text) => {
          log.push(`b ${text}`);
          if (failures-- > 0) throw boom;
          return `${text}b`;
        },
        { key: "b" },
      )
      .append((text) => {
        log.push(`c ${text}`);
        return `${text}c`;
      })
      .compile({ store: memoryStore(), durability });
    for (const run of [app.invoke("in", { checkpointId: "id" }), undefined]) {
      const error = await errorOf(run ?? app.resume("id"));
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["b"], cause: boom });
    }
    expect(await app.resume("id")).toBe("inabc");
    expect(log).toEqual(["a in", "b ina", "b ina", "b ina", "c inab"]);
  });

  it("goes on as a stream, and from one", async () => {
    let fails = true;
    const log: string[] = [];
    const app = new Chain<string>()
      .append((text) => text + log.push("a"))
      .append(async function* (text) {
        yield text;
        if (fails) throw boom;
        yield "b";
      })
      .compile({ store: memoryStore(), durability });
    const first = app.stream("in", { checkpointId: "id" });
    const chunks: string[] = [];
    const error = await errorOf(
      (async () => {
        for await (const chunk of first) chunks.push(chunk);
      })(),
    );
    expect(error.cause).toBe(boom);
    expect(chunks).toEqual(["in1"]);
    fails = false;
    expect(await app.resumeStream("id").concat()).toBe("in1b");
    expect(log).toEqual(["a"]);
  });

  it("does not run finished siblings again, and does run those that it stopped", async () => {
    const log: string[] = [];
    let broken = true;
    const app = new Chain<string>()
      .appendParallel({
        quick: (text) => text + log.push("quick"),
        fails: async (text) => {
          log.push("fails");
          await turns();
          if (broken) throw boom;
          return text;
        },
        stopped: (text) => {
          log.push("stopped");
          return broken ? forever() : text;
        },
      })
      .append(({ quick, fails, stopped }) => `${quick}|${fails}|${String(stopped)}`)
      .compile({ store: memoryStore(), durability });
    expect(await errorOf(app.invoke("a", { checkpointId: "id" }))).toMatchObject({ cause: boom });
    broken = false;
    expect(await app.resume("id")).toBe("a1|a|a");
    expect(log.sort()).toEqual(["fails", "fails", "quick", "stopped", "stopped"]);
  });

  it("goes on in a loop at the visit that failed", async () => {
    const log: number[] = [];
    let broken = true;
    const app = new Graph<number, number>()
      .addNode("add", (count: number) => {
        log.push(count);
        if (count === 3 && broken) throw boom;
        return count + 1;
      })
      .addEdge(START, "add")
      .addBranch("add", ["add", END], (count) => (count < 6 ? "add" : END))
      .compile({ store: memoryStore(), durability });
    await rejectedBy(app.invoke(0, { checkpointId: "id" }));
    broken = false;
    expect(await app.resume("id")).toBe(6);
    expect(log).toEqual([0, 1, 2, 3, 3, 4, 5]);
  });

  it("goes on in a graph of dependencies; what was skipped stays skipped", async () => {
    const log: string[] = [];
    let broken = true;
    const node = (key: string) => (text: string) => {
      log.push(key);
      if (key === "join" && broken) throw boom;
      return `${text}${key}`;
    };
    const app = new Graph<string, string>()
      .addNode("top", node("top"))
      .addNode("left", node("left"))
      .addNode("right", node("right"))
      .addNode("join", node("join"))
      .addEdge(START, "top")
      .addBranch("top", ["left", "right"], () => "left")
      .addEdge("left", "join")
      .addEdge("right", "join")
      .addEdge("join", END)
      .compile({ store: memoryStore(), durability, triggerMode: "allPredecessor" });
    await rejectedBy(app.invoke("", { checkpointId: "id" }));
    broken = false;
    expect(await app.resume("id")).toBe("topleftjoin");
    expect(log).toEqual(["top", "left", "join", "join"]);
  });

  it("goes on inside of a nested graph", async () => {
    const log: string[] = [];
    let broken = true;
    const inner = new Chain<string>()
      .append((text) => text + log.push("in"))
      .append((text) => {
        if (broken) throw boom;
        return text;
      });
    const app = new Chain<string>()
      .append((text) => text + log.push("out"))
      .append(inner)
      .compile({ store: memoryStore(), durability });
    await rejectedBy(app.invoke("a", { checkpointId: "id" }));
    broken = false;
    expect(await app.resume("id")).toBe("a12");
    expect(log).toEqual(["out", "in"]);
  });

  it("runs only the failed ones of several tools again", async () => {
    const log: string[] = [];
    let broken = true;
    const tool = (id: string) =>
      createTool({
        id,
        description: id,
        execute: async () => {
          log.push(id);
          if (id === "bad" && broken) throw boom;
          return id;
        },
      });
    const message = assistantMessage(
      ["one", "bad", "two"].map((name) => functionToolCall({ callId: name, name, arguments: "{}" })),
    );
    const app = new Chain<string>()
      .append(() => message)
      .appendToolsNode(new AgenticToolsNode([tool("one"), tool("bad"), tool("two")]))
      .append((results) =>
        results
          .flatMap(toolResultsOf)
          .map(({ result }) => result)
          .join(),
      )
      .compile({ store: memoryStore(), durability });
    const error = await errorOf(app.invoke("", { checkpointId: "id" }));
    expect(ToolError.is(error) && error.toolName).toBe("bad");
    broken = false;
    expect(await app.resume("id")).toBe("one,bad,two");
    expect(log).toEqual(["one", "bad", "two", "bad"]);
  });

  it("keeps what once has remembered, but not a once that failed", async () => {
    const log: string[] = [];
    let broken = true;
    const app = new Chain<string>()
      .append(async (text, ctx) => {
        const good = await ctx.once("good", () => log.push("good"));
        const bad = await ctx.once("bad", () => {
          log.push("bad");
          if (broken) throw boom;
          return "fixed";
        });
        return `${text} ${good} ${bad}`;
      })
      .compile({ store: memoryStore(), durability });
    expect(await errorOf(app.invoke("a", { checkpointId: "id" }))).toMatchObject({ cause: boom });
    broken = false;
    expect(await app.resume("id")).toBe("a 1 fixed");
    expect(log).toEqual(["good", "bad", "bad"]);
  });

  it("keeps the questions of places that wait beside the failure, and their ids", async () => {
    const log: string[] = [];
    let broken = true;
    const app = new Chain<string>()
      .appendParallel({
        asks: async (text, ctx) => {
          log.push("asks");
          return text + String(await ctx.ask("go", "?"));
        },
        fails: async (text) => {
          log.push("fails");
          await turns();
          if (broken) throw boom;
          return text;
        },
      })
      .append(({ asks, fails }) => `${asks}|${fails}`)
      .compile({ store: memoryStore(), durability });
    expect(await errorOf(app.invoke("a", { checkpointId: "id" }))).toMatchObject({ cause: boom });
    expect(await errorOf(app.resume("id"))).toMatchObject({ cause: boom });
    broken = false;
    const { id, info } = await questionOf(app.resume("id"));
    expect(info).toBe("?");
    expect((await questionOf(app.resume("id"))).id).toBe(id);
    expect(log).toEqual(["asks", "fails", "fails", "fails"]);
    expect(await app.resume("id", { [id]: "!" })).toBe("a!|a");
  });

  it("has used its answer: it is not asked for again when the node fails after it", async () => {
    let broken = true;
    const asked: unknown[] = [];
    const app = new Chain<string>()
      .append(async (text, ctx) => {
        const answer = await ctx.ask("go", "?");
        asked.push(answer);
        if (broken) throw boom;
        return text + String(answer);
      })
      .compile({ store: memoryStore(), durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect(await errorOf(app.resume("id", { [id]: "!" }))).toMatchObject({ cause: boom });
    broken = false;
    expect(await app.resume("id")).toBe("a!");
    expect(asked).toEqual(["!", "!"]);
  });

  it("that then ends well leaves nothing behind", async () => {
    const store = watchedStore();
    let broken = true;
    const app = new Chain<string>()
      .append((text) => {
        if (broken) throw boom;
        return text;
      })
      .compile({ store, durability });
    await rejectedBy(app.invoke("a", { checkpointId: "id" }));
    expect(await store.ids()).toEqual(["id"]);
    broken = false;
    expect(await app.resume("id")).toBe("a");
    expect(await store.ids()).toEqual([]);
  });

  it("saves nothing without a checkpointId", async () => {
    const store = watchedStore();
    const app = new Chain<string>().append(() => Promise.reject(boom)).compile({ store, durability });
    await rejectedBy(app.invoke("a"));
    expect(store.calls).toEqual([]);
  });
});

describe("What is not saved", () => {
  it("is the request context: a resume has only what it is given", async () => {
    const store = watchedStore();
    const seen: unknown[] = [];
    const app = new Chain<string>()
      .append(async (text, ctx) => {
        seen.push(ctx.requestContext.get("user"));
        return text + String(await ctx.ask("go", "?"));
      })
      .compile({ store });
    const start = app.invoke("a", { checkpointId: "id", requestContext: { user: "s3cret-Ann" } });
    const { id } = await questionOf(start);
    expect(await store.text("id")).not.toContain("s3cret-Ann");
    expect(await app.resume("id", { [id]: "!" })).toBe("a!");
    expect(seen).toEqual(["s3cret-Ann", undefined]);
    const other = await questionOf(app.invoke("a", { checkpointId: "id", requestContext: { user: "Ann" } }));
    await app.resume("id", { [other.id]: "!" }, { requestContext: { user: "Ben" } });
    expect(seen.slice(2)).toEqual(["Ann", "Ben"]);
  });

  it("is who listens: handlers of the run that was left hear nothing more, those of the resume all", async () => {
    const heard: string[] = [];
    const handler = (who: string) => ({
      onStart: (info: { name: string }) => void heard.push(`${who} start ${info.name}`),
      onEnd: (info: { name: string }) => void heard.push(`${who} end ${info.name}`),
    });
    const app = new Chain<string>()
      .append(async (text, ctx) => text + String(await ctx.ask("go", "?")), { key: "ask" })
      .append((text) => text, { key: "last" })
      .compile({ name: "g", store: memoryStore() });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id", callbacks: [handler("one")] }));
    heard.length = 0;
    await app.resume("id", { [id]: "!" }, { callbacks: [handler("two")] });
    expect(heard).toEqual([
      "two start g",
      "two start ask",
      "two end ask",
      "two start last",
      "two end last",
      "two end g",
    ]);
  });

  it("is options of nodes: a resume has those of the graph, and what it is given", async () => {
    const seen: unknown[] = [];
    const app = new Chain<string>()
      .append(
        async (text, ctx) => {
          seen.push(ctx.options);
          return text + String(await ctx.ask("go", "?"));
        },
        { key: "ask", options: { level: 1 } },
      )
      .compile({ store: memoryStore() });
    const nodes = (level: number) => ({ nodes: { ask: { options: { level } } } });
    await interruptOf(app.invoke("a", { checkpointId: "one", ...nodes(2) }));
    const one = await questionOf(app.resume("one"));
    await app.resume("one", { [one.id]: "!" });
    const two = await questionOf(app.invoke("a", { checkpointId: "two", ...nodes(2) }));
    await app.resume("two", { [two.id]: "!" }, nodes(3));
    expect(seen).toEqual([{ level: 2 }, { level: 1 }, { level: 2 }, { level: 3 }]);
  });
});
