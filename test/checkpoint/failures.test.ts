import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  findCause,
  Graph,
  isInterrupt,
  memoryStore,
  type NodeContext,
  START,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { call, calls, textsOf } from "../tools/node/calls.js";
import { effects, idOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

/** A run of one node that uses its context. */
const around = (use: (ctx: NodeContext) => unknown) =>
  new Chain<string>()
    .append(async (_text, ctx) => ({ result: await use(ctx) }), { key: "x" })
    .compile({ name: "app", store: memoryStore() });

describe("A question that user code swallows", () => {
  it("stops the run all the same", async () => {
    const app = around(async (ctx) => {
      try {
        return await ctx.ask("q", "?");
      } catch {
        return "swallowed";
      }
    });
    const { id } = await questionOf(app.invoke("", run));
    expect(await app.resume("run", { [id]: "yes" })).toEqual({ result: "yes" });
  });

  it("stops it before the next node", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append((text, ctx) => {
        try {
          if (!ctx.resume.hasData) ctx.interrupt("?");
        } catch {
          return "swallowed";
        }
        return `${text}${ctx.resume.data}`;
      })
      .append((text) => `${text}${ran.did("next")}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(ran.counts()).toEqual({});
    expect(await app.resume("run", { [id]: "!" })).toBe("x!1");
  });

  it.each([
    ["Promise.allSettled", async (ctx: NodeContext) => Promise.allSettled([ctx.ask("q", "?")])],
    ["Promise.race", async (ctx: NodeContext) => Promise.race([ctx.ask("q", "?"), turns().then(() => "late")])],
    ["nobody: it was not awaited", async (ctx: NodeContext) => void ctx.ask("q", "?").catch(() => undefined)],
    ["another error that is swallowed too", (ctx: NodeContext) => ctx.ask("q", "?").then(null, () => null)],
  ])("by %s", async (_name, use) => {
    const app = around(use);
    const { id } = await questionOf(app.invoke("", run));
    expect(await app.resume("run", { [id]: "yes" })).toBeDefined();
  });

  it("in a stream stops it, too", async () => {
    const app = new Chain<string>()
      .append(async function* (text: string, ctx) {
        yield text;
        try {
          yield `${await ctx.ask("q", "?")}`;
        } catch {
          yield "swallowed";
        }
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).concat());
    expect(await app.resume("run", { [id]: "!" })).toBe("x!");
  });

  it("of a child run stops its parent", async () => {
    const inner = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .compile({ name: "inner" });
    const app = around((ctx) => inner.invoke("x", { parent: ctx }).catch(() => "swallowed"));
    const { id } = await questionOf(app.invoke("", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ result: "x!" });
  });

  it("in a tool stops the node, with onToolError as it may be", async () => {
    const tool = createTool({
      id: "quiet",
      description: "Swallows.",
      execute: async (_input, ctx) => {
        try {
          return await ctx.ask("q", "?");
        } catch {
          return "swallowed";
        }
      },
    });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode({ tools: [tool], onToolError: "result" }))
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke(calls(call("quiet")), run));
    expect(textsOf(await app.resume("run", { [id]: "yes" }))).toEqual(["yes"]);
  });

  it("leaves together with another one of its place", async () => {
    const app = around(async (ctx) => {
      const first = await ctx.ask("1", "1?").catch(() => "swallowed");
      return [first, await ctx.ask("2", "2?")];
    });
    const both = await interruptOf(app.invoke("", run));
    expect(infosOf(both)).toEqual(["1?", "2?"]);
    const answers = { [idOf(both, "1?")]: "a", [idOf(both, "2?")]: "b" };
    expect(await app.resume("run", answers)).toEqual({ result: ["a", "b"] });
  });

  it("in a branch stops the run", async () => {
    const app = new Chain<string>()
      .append((text) => text)
      .appendBranch(
        (_text, ctx) =>
          ctx.ask("way", "?").then(
            (way) => (way === "a" ? "a" : "b"),
            () => "b" as const,
          ),
        {
          a: (text: string) => `${text}a`,
          b: (text: string) => `${text}b`,
        },
      )
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await app.resume("run", { [id]: "a" })).toBe("xa");
  });
});

describe("An ordinary error wins over a question", () => {
  it("in the same node", async () => {
    const stop = new Error("stop");
    const app = around(async (ctx) => {
      await ctx.ask("q", "?").catch(() => undefined);
      throw stop;
    });
    const error = await errorOf(app.invoke("", run));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["x"], cause: stop });
    expect(isInterrupt(error)).toBe(false);
  });

  it.each(["anyPredecessor", "allPredecessor"] as const)("of a node beside it (%s)", async (triggerMode) => {
    class Broken extends Error {}
    const ran = effects();
    const asked = gate();
    const app = new Graph<string, unknown>()
      .addNode(
        "asks",
        async (text: string, ctx) => {
          ran.did("asks");
          asked.open();
          return `${text}${await ctx.ask("q", "?")}`;
        },
        { outputKey: "asks" },
      )
      .addNode(
        "fails",
        async (text: string) => {
          await asked.promise;
          await turns();
          if (ran.did("fails") === 1) throw new Broken("broken");
          return text;
        },
        { outputKey: "fails" },
      )
      .addNode("fine", (text: string) => `${text}${ran.did("fine")}`, { outputKey: "fine" })
      .addEdge(START, "asks")
      .addEdge(START, "fails")
      .addEdge(START, "fine")
      .addEdge("asks", END)
      .addEdge("fails", END)
      .addEdge("fine", END)
      .compile({ triggerMode, store: memoryStore() });
    const error = await errorOf(app.invoke("x", run));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["fails"] });
    expect(findCause(error, Broken)).toBeInstanceOf(Broken);
    const question = await questionOf(app.resume("run"));
    expect(ran.counts()).toEqual({ asks: 1, fails: 2, fine: 1 });
    expect(await app.resume("run", { [question.id]: "!" })).toEqual({ asks: "x!", fails: "x", fine: "x1" });
    expect(ran.counts()).toEqual({ asks: 2, fails: 2, fine: 1 });
  });

  it("in a resumed run; the places that wait keep their ids, and answers are not lost", async () => {
    const ran = effects();
    const asking = (key: string) => async (text: string, ctx: NodeContext) => {
      const answer = await ctx.ask("q", `${key}?`);
      if (key === "a" && ran.did("a tries") === 1) throw new Error("after the answer");
      return `${text}${answer}`;
    };
    const app = new Graph<string, unknown>()
      .addNode("a", asking("a"), { outputKey: "a" })
      .addNode("b", asking("b"), { outputKey: "b" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke("x", run));
    expect(await errorOf(app.resume("run", { [idOf(both, "a?")]: "A" }))).toMatchObject({ code: "NODE_FAILED" });
    const rest = await interruptOf(app.resume("run"));
    expect(rest.interrupts).toEqual(both.interrupts.filter(({ info }) => info === "b?"));
    expect(await app.resume("run", { [idOf(both, "b?")]: "B" })).toEqual({ a: "xA", b: "xB" });
  });

  it("in a resumed run; the answer of another place makes what failed run again, too", async () => {
    const ran = effects();
    const asking = (key: string) => async (text: string, ctx: NodeContext) => {
      const answer = await ctx.ask("q", `${key}?`);
      if (key === "a" && ran.did("a tries") === 1) throw new Error("after the answer");
      return `${text}${answer}`;
    };
    const app = new Graph<string, unknown>()
      .addNode("a", asking("a"), { outputKey: "a" })
      .addNode("b", asking("b"), { outputKey: "b" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke("x", run));
    await errorOf(app.resume("run", { [idOf(both, "a?")]: "A" }));
    expect(await app.resume("run", { [idOf(both, "b?")]: "B" })).toEqual({ a: "xA", b: "xB" });
  });

  it("in a graph inside", async () => {
    const ran = effects();
    const inner = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .append(
        (text) => {
          if (ran.did("tries") === 1) throw new Error("broken");
          return text;
        },
        { key: "breaks" },
      );
    const app = new Chain<string>().append(inner, { key: "inner" }).compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await errorOf(app.resume("run", { [id]: "!" }))).toMatchObject({ nodePath: ["inner", "breaks"] });
    expect(await app.resume("run")).toBe("x!");
    expect(ran.counts()).toEqual({ tries: 2 });
  });

  it("of a child run, which fails alone when its parent takes it", async () => {
    const fails = new Chain<string>().append(() => Promise.reject(new Error("child"))).compile({ name: "fails" });
    const app = around(async (ctx) => {
      const taken = await fails.invoke("", { parent: ctx }).catch(() => "taken");
      return [taken, await ctx.ask("q", "?")];
    });
    const { id } = await questionOf(app.invoke("", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ result: ["taken", "!"] });
  });
});

describe("A stream that fails in a run with a checkpoint", () => {
  it.each([[false], [true]])("says which node failed, and why (with a node behind it: %s)", async (followed) => {
    class Broken extends Error {}
    const ran = effects();
    let chain = new Chain<string>().append(
      async function* (text: string) {
        yield text;
        if (ran.did("writer") === 1) throw new Broken("broken");
        yield "!";
      },
      { key: "writer" },
    );
    if (followed) chain = chain.append((text) => text);
    const app = chain.compile({ store: memoryStore() });
    const recorder = recordingHandler();
    const error = await errorOf(app.stream("x", { ...run, callbacks: [recorder] }).concat());
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["writer"] });
    expect(findCause(error, Broken)).toBeInstanceOf(Broken);
    const heard = recorder.events.find(({ timing, info }) => timing === "onError" && info.name === "writer");
    expect(findCause(heard?.value, Broken)).toBeInstanceOf(Broken);
    expect(await app.resumeStream("run").concat()).toBe("x!");
    expect(ran.counts()).toEqual({ writer: 2 });
  });
});

describe("A run that was stopped", () => {
  it("while others wait: it goes on, and the places that wait keep waiting", async () => {
    const reason = new Error("stop");
    const controller = new AbortController();
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("asks", async (text: string, ctx) => `${text}${ran.did("asks")}${await ctx.ask("q", "?")}`, {
        outputKey: "asks",
      })
      .addNode(
        "slow",
        async (text: string) => {
          if (ran.did("slow") === 1) {
            await turns();
            controller.abort(reason);
            await new Promise(() => undefined);
          }
          return text;
        },
        { outputKey: "slow" },
      )
      .addEdge(START, "asks")
      .addEdge(START, "slow")
      .addEdge("asks", END)
      .addEdge("slow", END)
      .compile({ store: memoryStore() });
    expect(await rejectedBy(app.invoke("x", { ...run, signal: controller.signal }))).toBe(reason);
    const { id } = await questionOf(app.resume("run"));
    expect(ran.counts()).toEqual({ asks: 1, slow: 2 });
    expect(await app.resume("run", { [id]: "!" })).toEqual({ asks: "x2!", slow: "x" });
  });

  it("by its time limit goes on with resume", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append((text) => `${text}${ran.did("first")}`)
      .append((text) => (ran.did("slow") === 1 ? new Promise<string>(() => undefined) : text))
      .compile({ store: memoryStore() });
    const error = await rejectedBy(app.invoke("x", { ...run, timeoutMs: 2 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
    expect(await app.resume("run")).toBe("x1");
    expect(ran.counts()).toEqual({ first: 1, slow: 2 });
  });
});
