import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { gate, turns } from "./gate.js";
import { errorOf } from "./rejected-by.js";

const add =
  (text: string, log: string[] = []) =>
  (input: string): string => {
    log.push(`${text}(${input})`);
    return input + text;
  };

interface Pair {
  readonly a: number;
  readonly b: number;
}

/** START→a→c, START→b→x→c: one arm is longer by a step. */
const unevenArms = (log: string[], behind: "end" | "d") => {
  const graph = new Graph<string, string>()
    .addNode("a", add("a", log))
    .addNode("b", add("b", log))
    .addNode("x", add("x", log))
    .addNode("c", add("c", log))
    .addNode("d", add("d", log))
    .addEdge(START, "a")
    .addEdge("a", "c")
    .addEdge(START, "b")
    .addEdge("b", "x")
    .addEdge("x", "c")
    .addEdge("c", behind)
    .addEdge("d", END);
  return behind === "d" ? graph : graph.addEdge(START, "d");
};

describe("Supersteps", () => {
  it("run all nodes of a step before any of the next one", async () => {
    const log: string[] = [];
    const slow = gate();
    const run = new Graph<string, unknown>()
      .addNode("fast", add("fast", log), { outputKey: "fast" })
      .addNode("slow", async (text: string) => slow.promise.then(() => add("slow", log)(text)), { outputKey: "slow" })
      .addNode("next", (input: { fast: string }) => add("next", log)(input.fast))
      .addEdge(START, "fast")
      .addEdge(START, "slow")
      .addEdge("fast", "next")
      .addEdge("slow", END)
      .addEdge("next", END)
      .compile()
      .invoke("");
    await turns();
    expect(log).toEqual(["fast()"]);
    slow.open();
    expect(await run).toEqual({ slow: "slow" });
  });

  it("end as soon as END has something, and drop what else would be next", async () => {
    const log: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("a", add("a", log))
      .addNode("b", add("b", log))
      .addNode("late", add("late", log))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", "late")
      .compile();
    expect(await graph.invoke("-")).toBe("-a");
    expect(log).toEqual(["a(-)", "b(-)"]);
  });

  it("run a node behind arms of uneven length once if END is reached by then", async () => {
    const log: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("a", add("a", log))
      .addNode("b", add("b", log))
      .addNode("x", add("x", log))
      .addNode("c", add("c", log))
      .addEdge(START, "a")
      .addEdge("a", "c")
      .addEdge(START, "b")
      .addEdge("b", "x")
      .addEdge("x", "c")
      .addEdge("c", END)
      .compile();
    expect(await graph.invoke("-")).toBe("-ac");
    expect(log).toEqual(["a(-)", "b(-)", "x(-b)", "c(-a)"]);
  });

  it("run a node behind arms of uneven length again if it takes longer", async () => {
    const log: string[] = [];
    const graph = unevenArms(log, "d").compile();
    expect(await graph.invoke("-")).toBe("-acd");
    expect(log).toEqual(["a(-)", "b(-)", "x(-b)", "c(-a)", "c(-bx)", "d(-ac)"]);
  });

  it("run the nodes of a step in order of declaration, whatever the order of edges", async () => {
    const log: string[] = [];
    const graph = new Graph<string, unknown>()
      .addNode("a", add("a", log), { outputKey: "a" })
      .addNode("b", add("b", log), { outputKey: "b" })
      .addNode("c", add("c", log), { outputKey: "c" })
      .addEdge(START, "c")
      .addEdge("c", END)
      .addEdge(START, "b")
      .addEdge("b", END)
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    expect(JSON.stringify(await graph.invoke("-"))).toBe('{"a":"-a","b":"-b","c":"-c"}');
    expect(log).toEqual(["a(-)", "b(-)", "c(-)"]);
  });

  it("take an edge from START to END as the identity", async () => {
    const graph = new Graph<string, string>().addEdge(START, END).compile();
    expect(await graph.invoke("same")).toBe("same");
    expect(await graph.stream("same").concat()).toBe("same");
  });

  it("loop until a branch leaves", async () => {
    const graph = new Graph<number, number>()
      .addNode("double", (count: number) => count * 2)
      .addEdge(START, "double")
      .addBranch("double", ["double", END], (count) => (count < 100 ? "double" : END))
      .compile();
    expect(await graph.invoke(3)).toBe(192);
  });
});

describe("The limit of steps", () => {
  const line = new Graph<string, string>()
    .addNode("a", add("a"))
    .addNode("b", add("b"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END);
  const loop = new Graph<number, number>()
    .addNode("count", (count: number) => count + 1)
    .addEdge(START, "count")
    .addBranch("count", ["count", END], () => "count");

  it("is two for a line of two", async () => {
    expect(await line.compile({ maxSteps: 2 }).invoke("")).toBe("ab");
    const error = await errorOf(line.compile({ maxSteps: 1 }).invoke(""));
    expect(error.code).toBe("MAX_STEPS_EXCEEDED");
    expect(error.message).toContain('exceeds its maximum of 1 steps; next would be "b"');
  });

  it("is the number of nodes and ten by default", async () => {
    const seen: number[] = [];
    const graph = new Graph<number, number>()
      .addNode("count", (count: number) => {
        seen.push(count);
        return count + 1;
      })
      .addEdge(START, "count")
      .addBranch("count", ["count", END], () => "count")
      .compile();
    expect((await errorOf(graph.invoke(0))).code).toBe("MAX_STEPS_EXCEEDED");
    expect(seen).toHaveLength(11);
  });

  it.each([["invoke"], ["stream"]])("can be replaced for a run, upwards and downwards (%s)", async (mode) => {
    const run = (maxSteps: number) =>
      mode === "invoke"
        ? line.compile({ maxSteps: 2 }).invoke("", { maxSteps })
        : line.compile({ maxSteps: 2 }).stream("", { maxSteps }).concat();
    expect((await errorOf(run(1))).code).toBe("MAX_STEPS_EXCEEDED");
    expect(await run(7)).toBe("ab");
    expect((await errorOf(loop.compile().invoke(0, { maxSteps: 30 }))).message).toContain("30 steps");
  });

  it("counts for steps of several nodes as one step", async () => {
    const wide = new Graph<string, unknown>()
      .addNode("a", add("a"), { outputKey: "a" })
      .addNode("b", add("b"), { outputKey: "b" })
      .addNode("c", (both: object) => both)
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .addEdge("b", "c")
      .addEdge("c", END);
    expect(await wide.compile({ maxSteps: 2 }).invoke("")).toEqual({ a: "a", b: "b" });
    expect((await errorOf(wide.compile({ maxSteps: 1 }).invoke(""))).code).toBe("MAX_STEPS_EXCEEDED");
  });

  it("counts for each graph alone", async () => {
    const inner = new Graph<number, number>()
      .addNode("count", (count: number) => count + 1)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (count) => (count % 9 === 0 ? END : "count"))
      .compile();
    const outer = new Graph<number, number>()
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addBranch("inner", ["inner", END], (count) => (count < 27 ? "inner" : END));
    expect(await outer.compile({ maxSteps: 3 }).invoke(0)).toBe(27);
    expect(await outer.compile().invoke(0, { maxSteps: 3 })).toBe(27);
  });

  it("names the nodes that would be next, and the path of an inner graph", async () => {
    const outer = new Graph<number, number>().addNode("inner", loop).addEdge(START, "inner").addEdge("inner", END);
    const error = await errorOf(outer.compile().invoke(0));
    expect(error.nodePath).toEqual(["inner"]);
    expect(error.message).toContain('Node "inner" exceeds its maximum of 11 steps; next would be "count".');
  });
});

describe("A run without a next node", () => {
  const graph = new Graph<string, string>()
    .addNode("a", add("a"))
    .addNode("b", add("b"))
    .addEdge(START, "a")
    .addBranch("a", ["b", END], () => [])
    .addEdge("b", END);

  it.each([["invoke"], ["stream"]])("fails, and names what was done last (%s)", async (mode) => {
    const runnable = graph.compile();
    const error = await errorOf(mode === "invoke" ? runnable.invoke("") : runnable.stream("").concat());
    expect(error.code).toBe("NO_NEXT_NODE");
    expect(error.message).toContain('has no tasks to execute and has not reached END; last completed nodes: "a"');
  });

  it("says so when nothing ran at all", async () => {
    const nothing = new Graph<string, string>()
      .addNode("a", add("a"))
      .addBranch(START, ["a", END], () => [])
      .addEdge("a", END)
      .compile();
    expect((await errorOf(nothing.invoke(""))).message).toContain("nothing ran after START");
  });
});

describe("Long and wide runs do not overflow the stack", () => {
  const steps = 50_000;
  const counting = (step: (count: number) => number | Promise<number>) =>
    new Graph<number, number>()
      .addNode("count", step)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (count) => (count < steps ? "count" : END))
      .compile({ maxSteps: steps });

  it("a loop of fifty thousand synchronous steps", async () => {
    expect(await counting((count) => count + 1).invoke(0)).toBe(steps);
  });

  it("a loop of fifty thousand synchronous steps that is watched", async () => {
    expect(await counting((count) => count + 1).invoke(0, { callbacks: [{}] })).toBe(steps);
  });

  it("a loop of fifty thousand steps, every other one asynchronous", async () => {
    const step = (count: number): number | Promise<number> =>
      count % 2 === 0 ? count + 1 : Promise.resolve(count + 1);
    expect(await counting(step).invoke(0)).toBe(steps);
  });

  it("a loop of twenty thousand steps in a run on streams", async () => {
    const graph = new Graph<number, number>()
      .addNode("count", (count: number) => count + 1)
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (count) => (count < 20_000 ? "count" : END))
      .compile({ maxSteps: 20_000 });
    expect(await graph.stream(0).concat()).toBe(20_000);
  });

  it("a loop of twenty thousand steps, every other one of two nodes", async () => {
    const graph = new Graph<Pair, Pair>()
      .addNode("a", ({ a }: Pair) => a + 1, { outputKey: "a" })
      .addNode("b", ({ a }: Pair) => a, { outputKey: "b" })
      .addNode("same", (pair: Pair) => pair)
      .addEdge(START, "same")
      .addBranch("same", ["a", "b", END], ({ a }) => (a < 10_000 ? ["a", "b"] : [END]))
      .addEdge("a", "same")
      .addEdge("b", "same")
      .compile({ maxSteps: 30_000 });
    expect(await graph.invoke({ a: 0, b: 0 })).toEqual({ a: 10_000, b: 9_999 });
  });

  it("a line of five thousand nodes", async () => {
    const graph = new Graph<number, number>().untyped();
    let last = "n0";
    graph.addNode(last, (count: number) => count + 1);
    graph.addEdge(START, last);
    for (let n = 1; n < 5_000; n++) {
      const next = `n${n}`;
      graph.addNode(next, (count: number) => count + 1);
      graph.addEdge(last, next);
      last = next;
    }
    graph.addEdge(last, END);
    expect(await graph.compile().invoke(0)).toBe(5_000);
  });

  it("a step of four thousand nodes", async () => {
    const graph = new Graph<number, unknown>().untyped();
    graph.addNode("join", (all: object) => Object.keys(all).length);
    for (let n = 0; n < 4_000; n++) {
      const node = `n${n}`;
      graph.addNode(node, async (count: number) => count + n, { outputKey: `n${n}` });
      graph.addEdge(START, node).addEdge(node, "join");
    }
    graph.addEdge("join", END);
    expect(await graph.compile().invoke(0)).toBe(4_000);
  });
});
