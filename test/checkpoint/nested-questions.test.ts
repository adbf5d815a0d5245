import { Chain, END, Graph, type Interrupt, lambda, memoryStore, type NodeContext, START, stateKey } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { type Effects, effects, idOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

/** first → ask → last, and what ran. */
const asking = (ran: Effects, name = "") =>
  new Chain<string>()
    .append((text) => `${text}${name}${ran.did(`${name} first`)}`, { key: "first" })
    .append(
      async (text, ctx) => {
        ran.did(`${name} ask`);
        return `${text}${await ctx.ask("q", `${name}?`)}`;
      },
      { key: "ask" },
    )
    .append((text) => `${text}${ran.did(`${name} last`)}`, { key: "last" });

function parentsOf(question: Interrupt | undefined): (string | undefined)[] {
  const parents: (string | undefined)[] = [];
  for (let parent = question?.parent; parent !== undefined; parent = parent.parent) parents.push(parent.address);
  return parents;
}

describe("A question in a graph in a graph", () => {
  it.each(["builder", "compiled"])("goes on inside of it (%s)", async (kind) => {
    const ran = effects();
    const chain = asking(ran, "i");
    const inner = kind === "builder" ? chain : chain.compile({ name: "other" });
    const app = new Chain<string>()
      .append((text) => `${text}${ran.did("o first")}`)
      .append(inner, { key: "inner" })
      .append((text) => `${text}${ran.did("o last")}`)
      .compile({ name: "outer", store: memoryStore() });
    const question = await questionOf(app.invoke("-", run));
    expect(question.address).toBe("runnable:outer;node:inner;node:ask");
    expect(parentsOf(question)).toEqual(["runnable:outer;node:inner", "runnable:outer"]);
    expect(await app.resume("run", { [question.id]: "!" })).toBe("-1i1!11");
    expect(ran.counts()).toEqual({ "o first": 1, "i first": 1, "i ask": 2, "i last": 1, "o last": 1 });
  });

  it("is kept in the one checkpoint of the run", async () => {
    const store = memoryStore();
    const inner = asking(effects(), "i").compile({ store: memoryStore() });
    const app = new Chain<string>().append(inner).compile({ store });
    const { id } = await questionOf(app.invoke("-", run));
    const ids: string[] = [];
    for await (const checkpoint of store.list("")) ids.push(checkpoint);
    expect(ids).toEqual(["run"]);
    expect(await app.resume("run", { [id]: "!" })).toBe("-i1!1");
  });

  it("goes on however deep it is, in whatever mode", async () => {
    const ran = effects();
    const deep = new Chain<string>().append(asking(ran, "d"), { key: "3" });
    const deeper = new Graph<string, string>().addNode("2", deep).addEdge(START, "2").addEdge("2", END);
    const app = new Chain<string>()
      .append(deeper.compile({ triggerMode: "allPredecessor" }), { key: "1" })
      .compile({ name: "top", store: memoryStore() });
    const question = await questionOf(app.stream("-", run).concat());
    expect(question.address).toBe("runnable:top;node:1;node:2;node:3;node:ask");
    expect(parentsOf(question)).toEqual([
      "runnable:top;node:1;node:2;node:3",
      "runnable:top;node:1;node:2",
      "runnable:top;node:1",
      "runnable:top",
    ]);
    expect(await app.resume("run", { [question.id]: "!" })).toBe("-d1!1");
    expect(ran.counts()).toEqual({ "d first": 1, "d ask": 2, "d last": 1 });
  });

  it("goes on in the innermost of 60 graphs", async () => {
    let inner: Chain<string, string> = new Chain<string>().append(
      async (text, ctx) => `${text}${await ctx.ask("q", "?")}`,
    );
    for (let depth = 1; depth < 60; depth++) inner = new Chain<string>().append(inner);
    const app = inner.compile({ store: memoryStore() });
    const question = await questionOf(app.invoke("-", run));
    expect(parentsOf(question)).toHaveLength(60);
    expect(await app.resume("run", { [question.id]: "!" })).toBe("-!");
  });

  it("keeps the state of every graph", async () => {
    const inner = new Chain<string>()
      .withState(() => ({ inner: [] as string[] }))
      .append((text, ctx) => `${text}${ctx.state.inner.push("i")}`)
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .append((text, ctx) => `${text} ${ctx.state.inner}`);
    const app = new Chain<string>()
      .withState(() => ({ outer: [] as string[] }))
      .append((text, ctx) => `${text}${ctx.state.outer.push("o")}`)
      .append(inner)
      .append((text, ctx) => `${text} ${ctx.state.outer}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: "!" })).toBe("-11! i o");
  });

  it("lets inner graphs reach the outer state after it", async () => {
    const chat = stateKey("chat", () => ({ said: [] as string[] }));
    const inner = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .append((text, ctx) => ctx.processState(chat, (state) => `${text}${state.said.push(text)} ${state.said}`));
    const app = new Chain<string>()
      .withState(chat)
      .append((text, ctx) => `${text}${ctx.state.said.push("o")}`)
      .append(inner)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: "!" })).toBe("-1!2 o,-1!");
  });

  it("does not run state handlers around the graph again", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append(asking(effects(), "i"), {
        before: (text) => `${text}<${ran.did("before")}`,
        after: (text) => `${text}>${ran.did("after")}`,
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: "!" })).toBe("-<1i1!1>1");
    expect(ran.counts()).toEqual({ before: 1, after: 1 });
  });

  it.each([
    ["l?", "r?"],
    ["r?", "l?"],
  ])("beside another one may be answered in any order: %s, %s", async (first, second) => {
    const ran = effects();
    const app = new Chain<string>()
      .appendParallel({ left: asking(ran, "l"), right: asking(ran, "r") })
      .append(({ left, right }) => `${left} ${right}`)
      .compile({ name: "outer", store: memoryStore() });
    const both = await interruptOf(app.invoke("-", run));
    expect(infosOf(both)).toEqual(["l?", "r?"]);
    const [left, right] = both.interrupts;
    expect(left?.parent?.parent).toBe(right?.parent?.parent);
    const rest = await interruptOf(app.resume("run", { [idOf(both, first)]: "!" }));
    expect(infosOf(rest)).toEqual([second]);
    expect(idOf(rest, second)).toBe(idOf(both, second));
    expect(await app.resume("run", { [idOf(both, second)]: "!" })).toBe("-l1!1 -r1!1");
    const once = { "l first": 1, "l ask": 2, "l last": 1 };
    expect(ran.counts()).toEqual({ ...once, "r first": 1, "r ask": 2, "r last": 1 });
  });

  it("in a loop is a new one at each visit", async () => {
    const ran = effects();
    const app = new Graph<string, string>()
      .addNode("inner", asking(ran, "i"))
      .addEdge(START, "inner")
      .addBranch("inner", ["inner", END], (text) => (text.length > 12 ? END : "inner"))
      .compile({ store: memoryStore() });
    const first = await questionOf(app.invoke("-", run));
    const second = await questionOf(app.resume("run", { [first.id]: "!" }));
    const third = await questionOf(app.resume("run", { [second.id]: "!" }));
    expect(await app.resume("run", { [third.id]: "!" })).toBe("-i1!1i2!2i3!3");
    expect(ran.counts()).toEqual({ "i first": 3, "i ask": 6, "i last": 3 });
  });

  it("tells the answer by address", async () => {
    const app = new Chain<string>()
      .append(asking(effects(), "i"), { key: "inner" })
      .compile({ name: "outer", store: memoryStore() });
    await questionOf(app.invoke("-", run));
    const byAddress = { "runnable:outer;node:inner;node:ask": "!" };
    expect(await app.resume("run", { byAddress })).toBe("-i1!1");
  });
});

/** A run of one node that uses its context. */
const around = (use: (text: string, ctx: NodeContext) => unknown) =>
  new Chain<string>()
    .append(async (text, ctx) => ({ result: await use(text, ctx) }), { key: "x" })
    .compile({ name: "outer", store: memoryStore() });

describe("A question in a child run", () => {
  it("goes on inside of it, when its parent starts it again", async () => {
    const ran = effects();
    const inner = asking(ran, "i").compile({ name: "inner" });
    const app = around((text, ctx) => {
      ran.did("parent");
      return inner.invoke(text, { parent: ctx });
    });
    const question = await questionOf(app.invoke("-", run));
    expect(question.address).toBe("runnable:outer;node:x;runnable:inner;node:ask");
    expect(parentsOf(question)).toEqual([
      "runnable:outer;node:x;runnable:inner",
      "runnable:outer;node:x",
      "runnable:outer",
    ]);
    expect(await app.resume("run", { [question.id]: "!" })).toEqual({ result: "-i1!1" });
    expect(ran.counts()).toEqual({ parent: 2, "i first": 1, "i ask": 2, "i last": 1 });
  });

  it("goes on as a stream too", async () => {
    const ran = effects();
    const inner = asking(ran, "i").compile({ name: "inner" });
    const app = new Chain<string>()
      .append((text, ctx) => inner.stream(text, { parent: ctx }))
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("-", run).concat());
    expect(await app.resumeStream("run", { [id]: "!" }).concat()).toBe("-i1!1");
    expect(ran.counts()).toEqual({ "i first": 1, "i ask": 2, "i last": 1 });
  });

  it("that is only a lambda goes on as well", async () => {
    const alone = lambda({ invoke: async (text: string, ctx) => `${text}${await ctx.ask("q", "?")}` });
    const app = around((text, ctx) => alone.invoke(text, { parent: ctx }));
    const question = await questionOf(app.invoke("-", run));
    expect(question.address).toBe("runnable:outer;node:x;runnable:");
    expect(await app.resume("run", { [question.id]: "!" })).toEqual({ result: "-!" });
  });

  it("leaves children alone that have finished: what they gave is remembered by key", async () => {
    const ran = effects();
    const work = new Chain<string>().append((text) => `${text}${ran.did(text)}`).compile({ name: "work" });
    const ask = asking(ran, "i").compile({ name: "ask" });
    const app = around(async (_text, ctx) => {
      const a = await work.invoke("a", { parent: ctx, key: "a" });
      const b = await work.stream("b", { parent: ctx, key: "b" }).concat();
      const c = await work.invoke("c", { parent: ctx });
      const answer = await ask.invoke("-", { parent: ctx });
      const d = await work.invoke("d", { parent: ctx, key: "d" });
      return [a, b, c, answer, d].join(" ");
    });
    const { id } = await questionOf(app.invoke("", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ result: "a1 b1 c1 -i1!1 d1" });
    expect(ran.counts()).toMatchObject({ a: 1, b: 1, c: 1, d: 1 });
  });

  it("is one of several that wait beside each other", async () => {
    const ran = effects();
    const app = around((_text, ctx) =>
      Promise.all(
        ["a", "b", "c"].map((key) => asking(ran, key).compile({ name: "child" }).invoke("-", { parent: ctx, key })),
      ),
    );
    const all = await interruptOf(app.invoke("", run));
    expect(infosOf(all).sort()).toEqual(["a?", "b?", "c?"]);
    const rest = await interruptOf(app.resume("run", { [idOf(all, "b?")]: "B" }));
    expect(infosOf(rest).sort()).toEqual(["a?", "c?"]);
    expect(idOf(rest, "a?")).toBe(idOf(all, "a?"));
    const answers = { [idOf(all, "a?")]: "A", [idOf(all, "c?")]: "C" };
    expect(await app.resume("run", answers)).toEqual({ result: ["-a1A1", "-b1B1", "-c1C1"] });
    expect(ran.counts()).toEqual({
      "a first": 1,
      "a ask": 2,
      "a last": 1,
      "b first": 1,
      "b ask": 2,
      "b last": 1,
      "c first": 1,
      "c ask": 2,
      "c last": 1,
    });
  });

  it("waits for the children beside it, which finish and are remembered", async () => {
    const ran = effects();
    const slow = new Chain<string>()
      .append(async (text) => {
        await new Promise((resolve) => setImmediate(resolve));
        return `${text}${ran.did("slow")}`;
      })
      .compile({ name: "slow" });
    const ask = asking(ran, "i").compile({ name: "ask" });
    const app = around((text, ctx) =>
      Promise.all([ask.invoke(text, { parent: ctx }), slow.invoke(text, { parent: ctx })]),
    );
    const { id } = await questionOf(app.invoke("-", run));
    expect(ran.counts()).toMatchObject({ slow: 1 });
    expect(await app.resume("run", { [id]: "!" })).toEqual({ result: ["-i1!1", "-1"] });
    expect(ran.counts()).toMatchObject({ slow: 1 });
  });

  it("and one of its parent leave together", async () => {
    const ask = asking(effects(), "child").compile({ name: "ask" });
    const app = around((text, ctx) => Promise.all([ask.invoke(text, { parent: ctx }), ctx.ask("own", "own?")]));
    const both = await interruptOf(app.invoke("-", run));
    expect(infosOf(both).sort()).toEqual(["child?", "own?"]);
    const answers = { [idOf(both, "child?")]: "c", [idOf(both, "own?")]: "o" };
    expect(await app.resume("run", answers)).toEqual({ result: ["-child1c1", "o"] });
  });

  it("in a child of a child", async () => {
    const ran = effects();
    const inner = asking(ran, "i").compile({ name: "inner" });
    const middle = new Chain<string>()
      .append((text, ctx) => inner.invoke(text, { parent: ctx }), { key: "y" })
      .compile({ name: "middle" });
    const app = around((text, ctx) => middle.invoke(text, { parent: ctx }));
    const question = await questionOf(app.invoke("-", run));
    expect(question.address).toBe("runnable:outer;node:x;runnable:middle;node:y;runnable:inner;node:ask");
    expect(await app.resume("run", { [question.id]: "!" })).toEqual({ result: "-i1!1" });
    expect(ran.counts()).toEqual({ "i first": 1, "i ask": 2, "i last": 1 });
  });

  it("tells its parent that one of its own is meant", async () => {
    const seen: unknown[] = [];
    const inner = asking(effects(), "i").compile({ name: "inner" });
    const app = around((text, ctx) => {
      const { wasInterrupted, isTarget, hasData, data } = ctx.resume;
      seen.push({ wasInterrupted, isTarget, hasData, data });
      return inner.invoke(text, { parent: ctx });
    });
    const { id } = await questionOf(app.invoke("-", run));
    await app.resume("run", { [id]: "!" });
    expect(seen).toEqual([
      { wasInterrupted: false, isTarget: false, hasData: false, data: undefined },
      { wasInterrupted: true, isTarget: true, hasData: false, data: undefined },
    ]);
  });

  it("and its parent is started as often as there are questions one after the other", async () => {
    const ran = effects();
    const app = around(async (_text, ctx) => {
      ran.did("parent");
      const results: string[] = [];
      for (const key of ["a", "b"]) {
        results.push(await asking(ran, key).compile({ name: "child" }).invoke("-", { parent: ctx, key }));
      }
      return results;
    });
    const a = await questionOf(app.invoke("", run));
    const b = await questionOf(app.resume("run", { [a.id]: "A" }));
    expect([a.info, b.info]).toEqual(["a?", "b?"]);
    expect(await app.resume("run", { [b.id]: "B" })).toEqual({ result: ["-a1A1", "-b1B1"] });
    expect(ran.counts()).toMatchObject({ parent: 3, "a first": 1, "a ask": 2, "a last": 1 });
  });

  it("does not free its key while it is still going on", async () => {
    const inner = asking(effects(), "i").compile({ name: "inner" });
    const app = around((text, ctx) =>
      Promise.all([inner.invoke(text, { parent: ctx }), inner.invoke(text, { parent: ctx })]),
    );
    expect(await errorOf(app.invoke("-", run))).toMatchObject({ code: "DUPLICATE_CHILD" });
  });

  it("keeps its own state", async () => {
    const inner = new Chain<string>()
      .withState(() => ({ seen: [] as string[] }))
      .append((text, ctx) => `${text}${ctx.state.seen.push("first")}`)
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .append((text, ctx) => `${text} ${ctx.state.seen}`)
      .compile({ name: "inner" });
    const app = around((text, ctx) => inner.invoke(text, { parent: ctx }));
    const { id } = await questionOf(app.invoke("-", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ result: "-1! first" });
  });
});
