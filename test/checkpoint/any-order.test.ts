import { Chain, type CompiledGraph, END, Graph, memoryStore, type NodeContext, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../run/gate.js";
import { type Effects, effects, idOf, idsOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const triggerModes = ["anyPredecessor", "allPredecessor"] as const;

/** All ways to answer some at a time: `[[a, b], [c]]`. */
function waysToAnswer(names: readonly string[]): string[][][] {
  if (names.length === 0) return [[]];
  const subsets = Array.from({ length: 2 ** names.length - 1 }, (_, mask) =>
    names.filter((_name, bit) => ((mask + 1) >> bit) % 2 === 1),
  );
  return subsets.flatMap((first) =>
    waysToAnswer(names.filter((name) => !first.includes(name))).map((rest) => [first, ...rest]),
  );
}

const ways = waysToAnswer(["a", "b", "c"]).map((way) => [way.map((names) => names.join("+")).join(", "), way] as const);

type App = Pick<CompiledGraph<string, unknown>, "invoke" | "resume" | "resumeStream">;

/** Answers a run of which a, b and c wait, some at a time, and checks that only these go on. */
async function answerAll(app: App, way: readonly (readonly string[])[]): Promise<unknown> {
  const error = await interruptOf(app.invoke("-", { checkpointId: "run" }));
  const ids = idsOf(error);
  expect(infosOf(error)).toEqual(["a", "b", "c"]);
  let result: unknown;
  const left = new Set(["a", "b", "c"]);
  for (const [n, names] of way.entries()) {
    for (const name of names) left.delete(name);
    const answers = Object.fromEntries(names.map((name) => [ids[name], `${name}!`]));
    const run = n % 2 === 0 ? app.resume("run", answers) : app.resumeStream("run", answers).concat();
    if (left.size === 0) result = await run;
    else expect(idsOf(await interruptOf(run))).toEqual(Object.fromEntries([...left].map((name) => [name, ids[name]])));
  }
  return result;
}

const asking = (ran: Effects, key: string) => async (text: string, ctx: NodeContext) => {
  ran.did(key);
  return `${text}${await ctx.ask("q", key)}`;
};

const doing = (ran: Effects, key: string) => (text: string) => {
  ran.did(key);
  return `${text}${key}`;
};

describe.each(triggerModes)("Nodes that wait beside each other (%s)", (triggerMode) => {
  const wide = (ran: Effects) =>
    new Graph<string, unknown>()
      .addNode("a", asking(ran, "a"), { outputKey: "a" })
      .addNode("b", asking(ran, "b"), { outputKey: "b" })
      .addNode("c", asking(ran, "c"), { outputKey: "c" })
      .addNode("d", doing(ran, "d"), { outputKey: "d" })
      .addNode("join", (parts: Readonly<Record<string, string>>) => {
        ran.did("join");
        return parts;
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addEdge(START, "d")
      .addEdge("a", "join")
      .addEdge("b", "join")
      .addEdge("c", "join")
      .addEdge("d", "join")
      .addEdge("join", END)
      .compile({ triggerMode, store: memoryStore() });

  it.each(ways)("may be answered %s", async (_name, way) => {
    const ran = effects();
    expect(await answerAll(wide(ran), way)).toEqual({ a: "-a!", b: "-b!", c: "-c!", d: "-d" });
    expect(ran.counts()).toEqual({ a: 2, b: 2, c: 2, d: 1, join: 1 });
  });

  it("let the others finish first, which are not stopped and do not run again", async () => {
    const ran = effects();
    const slow = gate();
    let aborted: boolean | undefined;
    const app = new Graph<string, unknown>()
      .addNode("ask", asking(ran, "ask"), { outputKey: "ask" })
      .addNode(
        "slow",
        async (text: string, ctx) => {
          ran.did("slow");
          const { signal } = ctx;
          await slow.promise;
          aborted = signal.aborted;
          return text;
        },
        { outputKey: "slow" },
      )
      .addEdge(START, "ask")
      .addEdge(START, "slow")
      .addEdge("ask", END)
      .addEdge("slow", END)
      .compile({ triggerMode, store: memoryStore() });
    let stopped = false;
    const run = questionOf(app.invoke("-", { checkpointId: "run" })).finally(() => {
      stopped = true;
    });
    await turns();
    expect(stopped).toBe(false);
    slow.open();
    const { id } = await run;
    expect(aborted).toBe(false);
    expect(await app.resume("run", { [id]: "!" })).toEqual({ ask: "-!", slow: "-" });
    expect(ran.counts()).toEqual({ ask: 2, slow: 1 });
  });

  it("keep what a branch has chosen before they waited", async () => {
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("s", doing(ran, "s"))
      .addNode("p", asking(ran, "p"), { outputKey: "p" })
      .addNode("q", asking(ran, "q"), { outputKey: "q" })
      .addNode("j", (parts: Readonly<Record<string, string>>) => parts)
      .addEdge(START, "s")
      .addBranch("s", ["p", "q"], () => {
        ran.did("choose");
        return "p" as const;
      })
      .addEdge("p", "j")
      .addEdge("q", "j")
      .addEdge("j", END)
      .compile({ triggerMode, store: memoryStore() });
    const { id, info } = await questionOf(app.invoke("-", { checkpointId: "run" }));
    expect(info).toBe("p");
    expect(await app.resume("run", { [id]: "!" })).toEqual({ p: "-s!" });
    expect(ran.counts()).toEqual({ s: 1, choose: 1, p: 2 });
  });

  it("may wait one after the other", async () => {
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("one", asking(ran, "one"))
      .addNode("between", doing(ran, "between"))
      .addNode("two", asking(ran, "two"))
      .addEdge(START, "one")
      .addEdge("one", "between")
      .addEdge("between", "two")
      .addEdge("two", END)
      .compile({ triggerMode, store: memoryStore() });
    const one = await questionOf(app.invoke("-", { checkpointId: "run" }));
    const two = await questionOf(app.resume("run", { [one.id]: "1" }));
    expect(await app.resume("run", { [two.id]: "2" })).toBe("-1between2");
    expect(ran.counts()).toEqual({ one: 2, between: 1, two: 2 });
  });

  it("may have a merge of their own behind them, which gets what arrived, in order of declaration", async () => {
    const ran = effects();
    const sources: (readonly string[])[] = [];
    const app = new Graph<string, unknown>()
      .addNode("a", asking(ran, "a"))
      .addNode("b", asking(ran, "b"))
      .addNode("join", (text: string) => text, {
        merge: (values, names) => {
          sources.push(names);
          return values.join("|");
        },
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "join")
      .addEdge("b", "join")
      .addEdge("join", END)
      .compile({ triggerMode, store: memoryStore() });
    const both = await interruptOf(app.invoke("-", { checkpointId: "run" }));
    await interruptOf(app.resume("run", { [idOf(both, "b")]: "B" }));
    expect(await app.resume("run", { [idOf(both, "a")]: "A" })).toBe("-A|-B");
    expect(sources).toEqual([["a", "b"]]);
  });
});

describe("Several questions in one place", () => {
  const triple = (ran: Effects) =>
    new Chain<string>()
      .append(async (text, ctx) => {
        ran.did("node");
        const answers = await Promise.all(["a", "b", "c"].map((key) => ctx.ask(key, key)));
        ran.did("behind");
        return `${text}${answers}`;
      })
      .compile({ name: "app", store: memoryStore() });

  it.each(ways)("may be answered %s", async (_name, way) => {
    const ran = effects();
    expect(await answerAll(triple(ran), way)).toBe("-a!,b!,c!");
    expect(ran.counts()).toEqual({ node: way.length + 1, behind: 1 });
  });

  it("have one address, and ids of their own", async () => {
    const error = await interruptOf(triple(effects()).invoke("", { checkpointId: "run" }));
    expect(new Set(error.interrupts.map(({ address }) => address))).toEqual(new Set(["runnable:app;node:node_0"]));
    expect(new Set(error.interrupts.map(({ id }) => id)).size).toBe(3);
  });

  it("are all answered in the end, also when one is asked later than another", async () => {
    const later = gate();
    const app = new Chain<string>()
      .append((_text, ctx) =>
        Promise.all([
          ctx.ask("now", "now"),
          later.promise.then(() => ctx.once("work", turns)).then(() => ctx.ask("later", "later")),
        ]),
      )
      .compile({ store: memoryStore() });
    const started = interruptOf(app.invoke("", { checkpointId: "run" }));
    later.open();
    let error = await started;
    if (error.interrupts.length === 1) error = await interruptOf(app.resume("run", { [idOf(error, "now")]: "n" }));
    const answers = Object.fromEntries(error.interrupts.map(({ id, info }) => [id, String(info).charAt(0)]));
    expect(await app.resume("run", answers)).toEqual(["n", "l"]);
  });

  it("beside work that is remembered: it does not run again", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append((_text, ctx) => Promise.all([ctx.once("work", () => ran.did("work")), ctx.ask("q", "?")]))
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("", { checkpointId: "run" }));
    expect(await app.resume("run", { [id]: "yes" })).toEqual([1, "yes"]);
    expect(ran.counts()).toEqual({ work: 1 });
  });
});

describe("Graphs that go in steps", () => {
  it("ask anew at each visit of a node in a loop, under the same key", async () => {
    const ran = effects();
    const app = new Graph<string, string>()
      .addNode("ask", async (text: string, ctx) => {
        ran.did("ask");
        await ctx.once("work", () => ran.did("work"));
        return `${text}${await ctx.ask("q", `after ${text}`)}`;
      })
      .addNode("check", doing(ran, "."))
      .addEdge(START, "ask")
      .addEdge("ask", "check")
      .addBranch("check", ["ask", END], (text) => (text.endsWith("stop.") ? END : "ask"))
      .compile({ store: memoryStore() });
    const ids = new Set<string>();
    let question = await questionOf(app.invoke("-", { checkpointId: "run" }));
    for (const answer of ["a", "b"]) {
      ids.add(question.id);
      question = await questionOf(app.resume("run", { [question.id]: answer }));
    }
    ids.add(question.id);
    expect(question.info).toBe("after -a.b.");
    expect(ids.size).toBe(3);
    expect(await app.resume("run", { [question.id]: "stop" })).toBe("-a.b.stop.");
    expect(ran.counts()).toEqual({ ask: 6, work: 3, ".": 3 });
  });

  it("say to a later visit that it was not interrupted", async () => {
    const seen: unknown[] = [];
    const app = new Graph<number, number>()
      .addNode("count", (count: number, ctx) => {
        const { wasInterrupted, hasData, isTarget } = ctx.resume;
        seen.push([count, wasInterrupted, isTarget, hasData]);
        if (count === 0 && !hasData) ctx.interrupt("?");
        return count + 1;
      })
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (count) => (count < 3 ? "count" : END))
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke(0, { checkpointId: "run" }));
    expect(await app.resume("run", { [id]: "go" })).toBe(3);
    expect(seen).toEqual([
      [0, false, false, false],
      [0, true, true, true],
      [1, false, false, false],
      [2, false, false, false],
    ]);
  });

  /** START→a→c, START→b→x→c, c→END: c and x run in step 2, and the run ends with c. */
  const uneven = (asks: boolean, ran: Effects) => {
    const node = (key: string) => (asks ? asking(ran, key) : async (text: string) => `${text}${key}!`);
    return new Graph<string, unknown>()
      .addNode("a", node("a"), { outputKey: "a" })
      .addNode("b", node("b"))
      .addNode("x", doing(ran, "x"), { outputKey: "x" })
      .addNode("c", (parts: Readonly<Record<string, string>>) => parts)
      .addEdge(START, "a")
      .addBranch(START, ["b"], () => "b") // in a graph with a branch, uneven joins compile
      .addEdge("a", "c")
      .addEdge("b", "x")
      .addEdge("x", "c")
      .addEdge("c", END)
      .compile({ store: memoryStore() });
  };

  it.each([
    ["a", "b"],
    ["b", "a"],
  ])("end a step only when all of it is done: %s is answered, then %s", async (first, second) => {
    const expected = await uneven(false, effects()).invoke("-");
    const ran = effects();
    const app = uneven(true, ran);
    const error = await interruptOf(app.invoke("-", { checkpointId: "run" }));
    const between = await interruptOf(app.resume("run", { [idOf(error, first)]: `${first}!` }));
    expect(infosOf(between)).toEqual([second]);
    expect(ran.counts()).toMatchObject({ a: first === "a" ? 2 : 1, b: first === "b" ? 2 : 1 });
    expect(ran.counts()).not.toHaveProperty("x");
    expect(await app.resume("run", { [idOf(error, second)]: `${second}!` })).toEqual(expected);
  });

  it("count the steps of a run over its interrupts", async () => {
    const app = new Graph<string, string>()
      .addNode("one", asking(effects(), "one"))
      .addNode("two", asking(effects(), "two"))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addEdge("two", END)
      .compile({ store: memoryStore(), maxSteps: 2 });
    const one = await questionOf(app.invoke("-", { checkpointId: "run" }));
    const two = await questionOf(app.resume("run", { [one.id]: "1" }));
    expect(await app.resume("run", { [two.id]: "2" })).toBe("-12");
  });
});

describe("Graphs of dependencies", () => {
  it("bring a skip to where it leads, before and behind a place that waits", async () => {
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("s", doing(ran, "s"))
      .addNode("wait", asking(ran, "wait"), { outputKey: "wait" })
      .addNode("p", doing(ran, "p"))
      .addNode("q", doing(ran, "q"), { outputKey: "q" })
      .addNode("j", (parts: Readonly<Record<string, string>>) => Object.keys(parts))
      .addEdge(START, "s")
      .addEdge("s", "wait")
      .addBranch("s", ["p", "q"], () => "q" as const)
      .addNode("r", doing(ran, "r"), { outputKey: "r" })
      .addEdge("p", "r")
      .addEdge("r", "j")
      .addEdge("q", "j")
      .addEdge("wait", "j")
      .addEdge("j", END)
      .compile({ triggerMode: "allPredecessor", store: memoryStore() });
    const { id } = await questionOf(app.invoke("-", { checkpointId: "run" }));
    expect(await app.resume("run", { [id]: "!" })).toEqual(["wait", "q"]);
    expect(ran.counts()).toEqual({ s: 1, wait: 2, q: 1 });
  });

  it("may wait in uneven arms, and join them once", async () => {
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("a", asking(ran, "a"), { outputKey: "a" })
      .addNode("b", doing(ran, "b"))
      .addNode("x", asking(ran, "x"), { outputKey: "x" })
      .addNode("c", (parts: Readonly<Record<string, string>>) => {
        ran.did("c");
        return parts;
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .addEdge("b", "x")
      .addEdge("x", "c")
      .addEdge("c", END)
      .compile({ triggerMode: "allPredecessor", store: memoryStore() });
    let error = await interruptOf(app.invoke("-", { checkpointId: "run" }));
    error = await interruptOf(app.resume("run", { [idOf(error, "a")]: "A" }));
    expect(infosOf(error)).toEqual(["x"]);
    expect(await app.resume("run", { [idOf(error, "x")]: "X" })).toEqual({ a: "-A", x: "-bX" });
    expect(ran.counts()).toEqual({ a: 2, b: 1, x: 2, c: 1 });
  });
});
