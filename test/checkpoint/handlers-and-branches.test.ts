import { Chain, END, Graph, memoryStore, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { effects, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

interface Seen {
  seen: string[];
}

describe("State handlers and questions", () => {
  it("before does not run again for a node that asked: the node gets what it gave", async () => {
    const ran = effects();
    const inputs: string[] = [];
    const app = new Chain<string>()
      .withState((): Seen => ({ seen: [] }))
      .append(
        async (text, ctx) => {
          inputs.push(text);
          return `${text}${await ctx.ask("q", "?")} ${ctx.state.seen}`;
        },
        {
          before: (text, state) => {
            state.seen.push(`before ${ran.did("before")}`);
            return `<${text}>`;
          },
        },
      )
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await app.resume("run", { [id]: "!" })).toBe("<x>! before 1");
    expect(inputs).toEqual(["<x>", "<x>"]);
    expect(ran.counts()).toEqual({ before: 1 });
  });

  it("before may ask itself, and then the node too", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append(
        async (text, ctx) => {
          ran.did("node");
          return `${text}${await ctx.ask("node", "node?")}`;
        },
        { before: async (text, _state, ctx) => `${text}${await ctx.ask("before", "before?")}` },
      )
      .compile({ name: "app", store: memoryStore() });
    const first = await questionOf(app.invoke("x", run));
    expect(first).toMatchObject({ info: "before?", address: "runnable:app;node:node_0" });
    expect(ran.counts()).toEqual({});
    const second = await questionOf(app.resume("run", { [first.id]: "1" }));
    expect(second.info).toBe("node?");
    expect(await app.resume("run", { [second.id]: "2" })).toBe("x12");
    expect(ran.counts()).toEqual({ node: 2 });
  });

  it("after may ask", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append((text, ctx) => ctx.once("work", () => `${text}${ran.did("work")}`), {
        after: async (text, _state, ctx) => `${text}${await ctx.ask("after", "after?")}`,
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await app.resume("run", { [id]: "!" })).toBe("x1!");
    expect(ran.counts()).toEqual({ work: 1 });
  });

  it("streamBefore and streamAfter may ask", async () => {
    const app = new Chain<string>()
      .withState(() => ({}))
      .append((text) => `(${text})`, {
        streamBefore: async (stream, _state, ctx) => {
          const answer = await ctx.ask("before", "before?");
          return StreamReader.from([`${await stream.concat()}${answer}`]);
        },
        streamAfter: async (stream, _state, ctx) => {
          const answer = await ctx.ask("after", "after?");
          return StreamReader.from([`${await stream.concat()}${answer}`]);
        },
      })
      .compile({ store: memoryStore() });
    const before = await questionOf(app.stream("x", run).concat());
    const after = await questionOf(app.resumeStream("run", { [before.id]: "1" }).concat());
    expect([before.info, after.info]).toEqual(["before?", "after?"]);
    expect(await app.resumeStream("run", { [after.id]: "2" }).concat()).toBe("(x1)2");
  });

  it("free the state when they ask, for the node beside them", async () => {
    const app = new Graph<string, unknown>()
      .withState((): Seen => ({ seen: [] }))
      .addNode("asks", (text: string) => text, {
        outputKey: "asks",
        before: async (text, _state, ctx) => `${text}${await ctx.ask("q", "?")}`,
      })
      .addNode("writes", async (text: string) => text, {
        outputKey: "writes",
        before: (text, state) => `${text}${state.seen.push(text)}`,
      })
      .addEdge(START, "asks")
      .addEdge(START, "writes")
      .addEdge("asks", END)
      .addEdge("writes", END)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ asks: "x!", writes: "x1" });
  });
});

describe("Branches and questions", () => {
  const forked = (ran = effects()) =>
    new Graph<string, string>()
      .addNode("source", (text: string) => `${text}${ran.did("source")}`)
      .addNode("left", (text: string) => `${text} left`)
      .addNode("right", (text: string) => `${text} right`)
      .addEdge(START, "source")
      .addBranch("source", ["left", "right"], async (_text, ctx) =>
        (await ctx.ask("way", "Which way?")) === "left" ? "left" : "right",
      )
      .addEdge("left", END)
      .addEdge("right", END);

  it.each(["anyPredecessor", "allPredecessor"] as const)("a branch may ask where to go (%s)", async (triggerMode) => {
    const ran = effects();
    const app = forked(ran).compile({ triggerMode, store: memoryStore() });
    const { id, info } = await questionOf(app.invoke("x", run));
    expect(info).toBe("Which way?");
    expect(await app.resume("run", { [id]: "left" })).toBe("x1 left");
    expect(ran.counts()).toEqual({ source: 1 });
  });

  it("also in a stream", async () => {
    const app = forked().compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).concat());
    expect(await app.resumeStream("run", { [id]: "right" }).concat()).toBe("x1 right");
  });

  it("a branch from START may ask", async () => {
    const app = new Graph<string, string>()
      .addNode("left", (text: string) => `${text} left`)
      .addNode("right", (text: string) => `${text} right`)
      .addBranch(START, ["left", "right"], async (_text, ctx) =>
        (await ctx.ask("way", "Which way?")) === "left" ? "left" : "right",
      )
      .addEdge("left", END)
      .addEdge("right", END)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", run));
    expect(await app.resume("run", { [id]: "left" })).toBe("x left");
  });

  it("a stream branch may ask after it has read", async () => {
    const app = new Chain<string>()
      .append(async function* (text: string) {
        yield* text;
      })
      .appendStreamBranch(
        async (stream, ctx) => {
          const first = await stream.next();
          const answer = await ctx.ask("way", `${first.value}?`);
          return answer === "left" ? "left" : "right";
        },
        { left: (text: string) => `${text} left`, right: (text: string) => `${text} right` },
      )
      .compile({ store: memoryStore() });
    const { id, info } = await questionOf(app.stream("xyz", run).concat());
    expect(String(info)).toMatch(/^x/);
    expect(await app.resume("run", { [id]: "left" })).toBe("xyz left");
  });

  it("a node and the branch behind it may both ask", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "node?")}${ran.did("node")}`)
      .appendBranch(async (_text, ctx) => ((await ctx.ask("q", "branch?")) === "a" ? "a" : "b"), {
        a: (text: string) => `${text} a`,
        b: (text: string) => `${text} b`,
      })
      .compile({ store: memoryStore() });
    const node = await questionOf(app.invoke("x", run));
    const branch = await questionOf(app.resume("run", { [node.id]: "!" }));
    expect(branch.info).toBe("branch?");
    expect(await app.resume("run", { [branch.id]: "a" })).toBe("x!1 a");
    expect(ran.counts()).toEqual({ node: 1 });
  });

  it("a branch in a loop asks anew at each visit", async () => {
    const app = new Graph<string, string>()
      .addNode("step", (text: string) => `${text}.`)
      .addEdge(START, "step")
      .addBranch("step", ["step", END], async (text, ctx) =>
        (await ctx.ask("more", `${text} more?`)) === true ? "step" : END,
      )
      .compile({ store: memoryStore() });
    const first = await questionOf(app.invoke("", run));
    const second = await questionOf(app.resume("run", { [first.id]: true }));
    expect([first.info, second.info]).toEqual([". more?", ".. more?"]);
    expect(await app.resume("run", { [second.id]: false })).toBe("..");
  });
});
