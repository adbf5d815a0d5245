import { Chain, END, Graph, memoryStore, type NodeContext, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "../compose/thrown-by.js";
import { type Effects, effects, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };
const doing = (ran: Effects, key: string) => (text: string) => {
  ran.did(key);
  return `${text}${key}`;
};

const abc = (ran: Effects) =>
  new Chain<string>()
    .append(doing(ran, "a"), { key: "a" })
    .append(doing(ran, "b"), { key: "b" })
    .append(doing(ran, "c"), { key: "c" });

const stop = (before: readonly string[], after: readonly string[]) => ({ kind: "before_after", before, after });

describe("interruptBefore", () => {
  it("stops before the node; resume without answers goes on", async () => {
    const ran = effects();
    const app = abc(ran).compile({ name: "app", store: memoryStore(), interruptBefore: ["b"] });
    const question = await questionOf(app.invoke("-", run));
    expect(question).toMatchObject({ address: "runnable:app", info: stop(["b"], []) });
    expect(ran.counts()).toEqual({ a: 1 });
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("stops before the first node", async () => {
    const ran = effects();
    const app = abc(ran).compile({ store: memoryStore(), interruptBefore: ["a"] });
    await questionOf(app.invoke("-", run));
    expect(ran.counts()).toEqual({});
    expect(await app.resume("run")).toBe("-abc");
  });

  it("stops before each of several nodes", async () => {
    const ran = effects();
    const app = abc(ran).compile({ store: memoryStore(), interruptBefore: ["b", "c"] });
    expect((await questionOf(app.invoke("-", run))).info).toEqual(stop(["b"], []));
    expect((await questionOf(app.resume("run"))).info).toEqual(stop(["c"], []));
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it.each([
    ["invoke", "resumeStream"],
    ["stream", "resume"],
    ["stream", "resumeStream"],
  ])("stops %s, and goes on with %s", async (start, goOn) => {
    const ran = effects();
    const app = abc(ran).compile({ store: memoryStore(), interruptBefore: ["c"] });
    await questionOf(start === "invoke" ? app.invoke("-", run) : app.stream("-", run).concat());
    expect(await (goOn === "resume" ? app.resume("run") : app.resumeStream("run").concat())).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("keeps the stream that flows into the node", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append(async function* (text: string) {
        ran.did("writer");
        yield* text;
      })
      .append((text) => `${text}!`, { key: "reader" })
      .compile({ store: memoryStore(), interruptBefore: ["reader"] });
    await questionOf(app.stream("abc", run).concat());
    expect(await app.resumeStream("run").concat()).toBe("abc!");
    expect(ran.counts()).toEqual({ writer: 1 });
  });

  it("stops at every visit of a loop, once for each", async () => {
    const ran = effects();
    const app = new Graph<string, string>()
      .addNode("step", doing(ran, "."))
      .addEdge(START, "step")
      .addBranch("step", ["step", END], (text) => (text.length < 3 ? "step" : END))
      .compile({ store: memoryStore(), interruptBefore: ["step"] });
    await questionOf(app.invoke("", run));
    await questionOf(app.resume("run"));
    await questionOf(app.resume("run"));
    expect(ran.counts()).toEqual({ ".": 2 });
    expect(await app.resume("run")).toBe("...");
    expect(ran.counts()).toEqual({ ".": 3 });
  });

  it.each(["anyPredecessor", "allPredecessor"] as const)("names all nodes of the stop (%s)", async (triggerMode) => {
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("s", doing(ran, "s"))
      .addNode("p", doing(ran, "p"), { outputKey: "p" })
      .addNode("q", doing(ran, "q"), { outputKey: "q" })
      .addEdge(START, "s")
      .addEdge("s", "p")
      .addEdge("s", "q")
      .addEdge("p", END)
      .addEdge("q", END)
      .compile({ triggerMode, store: memoryStore(), interruptBefore: ["p", "q"] });
    expect((await questionOf(app.invoke("-", run))).info).toEqual(stop(["p", "q"], []));
    expect(await app.resume("run")).toEqual({ p: "-sp", q: "-sq" });
    expect(ran.counts()).toEqual({ s: 1, p: 1, q: 1 });
  });

  it("runs state handlers only when the node runs", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append((text) => text, { key: "a" })
      .append((text) => text, { key: "b", before: (text) => `${text}${ran.did("before")}` })
      .compile({ store: memoryStore(), interruptBefore: ["b"] });
    await questionOf(app.invoke("-", run));
    expect(ran.counts()).toEqual({});
    expect(await app.resume("run")).toBe("-1");
  });

  it("stops also without a store", async () => {
    const app = abc(effects()).compile({ interruptBefore: ["b"] });
    expect((await questionOf(app.invoke("-"))).info).toEqual(stop(["b"], []));
  });
});

describe("interruptAfter", () => {
  it("stops behind the node, which has run", async () => {
    const ran = effects();
    const app = abc(ran).compile({ name: "app", store: memoryStore(), interruptAfter: ["b"] });
    expect(await questionOf(app.invoke("-", run))).toMatchObject({ address: "runnable:app", info: stop([], ["b"]) });
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("and interruptBefore may stop at once, as one", async () => {
    const app = abc(effects()).compile({ store: memoryStore(), interruptAfter: ["a"], interruptBefore: ["b"] });
    expect((await questionOf(app.invoke("-", run))).info).toEqual(stop(["b"], ["a"]));
    expect(await app.resume("run")).toBe("-abc");
  });

  it("does not ask a branch again that has chosen", async () => {
    const ran = effects();
    const app = new Graph<string, string>()
      .addNode("s", doing(ran, "s"))
      .addNode("p", doing(ran, "p"))
      .addNode("q", doing(ran, "q"))
      .addEdge(START, "s")
      .addBranch("s", ["p", "q"], () => (ran.did("choose") === 1 ? "p" : "q"))
      .addEdge("p", END)
      .addEdge("q", END)
      .compile({ store: memoryStore(), interruptAfter: ["s"], interruptBefore: ["p"] });
    await questionOf(app.invoke("-", run));
    expect(await app.resume("run")).toBe("-sp");
    expect(ran.counts()).toEqual({ s: 1, choose: 1, p: 1 });
  });
});

describe("Stops before and after nodes", () => {
  it("of nodes that do not exist are an error at compile", () => {
    const chain = abc(effects());
    for (const option of ["interruptBefore", "interruptAfter"]) {
      const error = thrownBy(() => chain.compile(plain({ [option]: ["nobody"] })));
      expect(error.message).toContain('"nobody"');
    }
  });

  interface Count {
    count: number;
  }
  const counting = () =>
    new Chain<string>()
      .withState((): Count => ({ count: 1 }))
      .append((text, ctx) => `${text}${ctx.state.count}`, { key: "a" })
      .append((text, ctx) => `${text}${ctx.state.count}`, { key: "b" })
      .compile({ name: "app", store: memoryStore(), interruptBefore: ["b"] });

  it("take as an answer another state for the graph", async () => {
    const app = counting();
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: { count: 7 } })).toBe("-17");
  });

  it("take it by address, too", async () => {
    const app = counting();
    await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { byAddress: { "runnable:app": { count: 8 } } })).toBe("-18");
  });

  it("keep the state when there is no answer, or none with data", async () => {
    const app = counting();
    await questionOf(app.invoke("-", run));
    expect(await app.resume("run")).toBe("-11");
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: undefined })).toBe("-11");
  });

  it("in a graph inside are told with its address; an answer is the state of that graph", async () => {
    const inner = new Chain<string>()
      .withState((): Count => ({ count: 1 }))
      .append((text, ctx) => `${text}${ctx.state.count}`, { key: "a" })
      .append((text, ctx) => `${text}${ctx.state.count}`, { key: "b" })
      .compile({ interruptBefore: ["b"] });
    const app = new Chain<string>()
      .withState((): Count => ({ count: 3 }))
      .append((text, ctx) => `${text}${ctx.state.count}`)
      .append(inner, { key: "inner" })
      .append((text, ctx) => `${text}${ctx.state.count}`)
      .compile({ name: "outer", store: memoryStore() });
    const question = await questionOf(app.invoke("-", run));
    expect(question).toMatchObject({ address: "runnable:outer;node:inner", info: stop(["b"], []) });
    expect(await app.resume("run", { [question.id]: { count: 9 } })).toBe("-3193");
  });

  it("in a child run are told with its address", async () => {
    const ran = effects();
    const inner = abc(ran).compile({ name: "inner", interruptBefore: ["c"] });
    const app = new Chain<string>()
      .append((text, ctx) => inner.invoke(text, { parent: ctx }), { key: "x" })
      .compile({ name: "outer", store: memoryStore() });
    const question = await questionOf(app.invoke("-", run));
    expect(question).toMatchObject({ address: "runnable:outer;node:x;runnable:inner", info: stop(["c"], []) });
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("of several graphs beside each other make one entry each", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .appendParallel({
        left: abc(ran).compile({ interruptBefore: ["b"] }),
        right: abc(ran).compile({ interruptAfter: ["b"] }),
      })
      .compile({ store: memoryStore() });
    const { interrupts } = await interruptOf(app.invoke("-", run));
    expect(interrupts.map(({ info }) => info)).toEqual([stop(["b"], []), stop([], ["b"])]);
    expect(await app.resume("run")).toEqual({ left: "-abc", right: "-abc" });
    expect(ran.counts()).toEqual({ a: 2, b: 2, c: 2 });
  });

  it("leave together with a question that is asked beside them", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .appendParallel({
        stops: abc(ran).compile({ interruptBefore: ["b"] }),
        asks: async (text: string, ctx: NodeContext) => `${text}${await ctx.ask("q", "?")}`,
      })
      .compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke("-", run));
    expect(infosOf(both)).toEqual([stop(["b"], []), "?"]);
    const rest = await questionOf(app.resume("run"));
    expect(rest).toEqual(both.interrupts[1]);
    expect(await app.resume("run", { [rest.id]: "!" })).toEqual({ stops: "-abc", asks: "-!" });
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("let a node that stands behind the stop ask", async () => {
    const app = new Chain<string>()
      .append((text) => text, { key: "a" })
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`, { key: "b" })
      .compile({ store: memoryStore(), interruptBefore: ["b"] });
    await questionOf(app.invoke("-", run));
    const { id, info } = await questionOf(app.resume("run"));
    expect(info).toBe("?");
    expect(await app.resume("run", { [id]: "!" })).toBe("-!");
  });
});
