import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { thrownBy } from "./thrown-by.js";

const same = (text: string) => text;

describe("an untyped graph", () => {
  it("runs what was connected in statements and loops", async () => {
    const graph = new Graph<string, string>().untyped();
    graph.addNode("first", (text: string) => `${text}0`).addEdge(START, "first");
    let last = "first";
    for (let count = 1; count < 4; count++) {
      const next = `next_${count}`;
      graph.addNode(next, (text: string) => `${text}${count}`).addEdge(last, next);
      last = next;
    }
    graph.addEdge(last, END);
    expect(await graph.compile().invoke("x")).toBe("x0123");
  });

  it("joins parts at a node and at END", async () => {
    const graph = new Graph<string, { size: number; loud: string }>().untyped().addNodes({
      size: { node: (text: string) => text.length, options: { outputKey: "size" } },
      loud: { node: (text: string) => text.toUpperCase(), options: { outputKey: "loud" } },
      join: (parts: { size: number; loud: string }) => parts,
    });
    for (const part of ["size", "loud"]) graph.addEdge(START, part).addEdge(part, "join");
    graph.addEdge("join", END);
    expect(await graph.compile().invoke("ab")).toEqual({ size: 2, loud: "AB" });
  });

  it("lets a branch choose one target, several, or a promise of them", async () => {
    const graph = new Graph<number, unknown>().untyped();
    graph.addNode("low", (count: number) => `${count} is low`, { outputKey: "low" });
    graph.addNode("high", (count: number) => `${count} is high`, { outputKey: "high" });
    graph.addBranch(START, ["low", "high"], (count: number) => {
      if (count < 5) return "low";
      return count > 10 ? Promise.resolve("high") : ["low", "high"];
    });
    graph.addEdge("low", END).addEdge("high", END);
    const compiled = graph.compile();
    expect(await compiled.invoke(1)).toEqual({ low: "1 is low" });
    expect(await compiled.invoke(20)).toEqual({ high: "20 is high" });
    expect(await compiled.invoke(7)).toEqual({ low: "7 is low", high: "7 is high" });
  });

  it("takes nodes after the edges that name them, and keeps the order of the edges", async () => {
    const graph = new Graph<string, string>().untyped();
    const targets = ["shout", "end"];
    graph
      .addEdge(START, "trim")
      .addBranch("trim", targets, () => "shout")
      .addEdge("shout", END);
    targets.length = 0;
    graph.addNode("trim", (text: string) => text.trim()).addNode("shout", (text: string) => text.toUpperCase());
    const compiled = graph.compile();
    expect(await compiled.invoke(" a ")).toBe("A");
    expect(compiled.graphInfo().edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "start trim",
      "shout end",
      "trim shout",
      "trim end",
    ]);
  });

  it("can be compiled again, after it has grown", async () => {
    const graph = new Graph<string, string>().untyped().addEdge(START, END);
    const before = graph.compile();
    graph.addNode("noise", same).addEdge(START, "noise").addEdge("noise", END);
    expect(await before.invoke("a")).toBe("a");
    expect(
      graph
        .compile()
        .graphInfo()
        .nodes.map(({ key }) => key),
    ).toContain("noise");
  });

  it.each([
    ["UNKNOWN_NODE", (graph: Untyped) => graph.addEdge("a", "b")],
    ["UNKNOWN_NODE", (graph: Untyped) => graph.addBranch("a", ["b"], () => "b")],
    ["DUPLICATE_EDGE", (graph: Untyped) => graph.addEdge(START, "a")],
    ["INVALID_BRANCH", (graph: Untyped) => graph.addBranch("a", [], () => "b")],
    ["INVALID_BRANCH", (graph: Untyped) => graph.addBranch("a", [END, END], () => END)],
    ["INVALID_EDGE", (graph: Untyped) => graph.addEdge(END, "a")],
    ["INVALID_EDGE", (graph: Untyped) => graph.addEdge("a", START)],
  ])("reports %s at each compile()", (code, connect) => {
    const graph = new Graph<string, string>().untyped().addNode("a", same).addEdge(START, "a").addEdge("a", END);
    expect(() => connect(graph)).not.toThrow();
    expect(thrownBy(() => graph.compile()).code).toBe(code);
    expect(thrownBy(() => graph.compile()).code).toBe(code);
  });

  it("reports a key that is taken at once, and missing inputs at compile()", () => {
    const graph = new Graph<string, string>().untyped().addNode("lost", same);
    expect(thrownBy(() => graph.addNode("lost", same)).code).toBe("DUPLICATE_NODE");
    graph.addEdge(START, END).addEdge("lost", END);
    expect(thrownBy(() => graph.compile()).message).toContain('"lost" has no incoming edge');
  });

  it("is a node of another graph, with the types of its ends", async () => {
    const inner = new Graph<string, number>().untyped().addNode("n", (text: string) => text.length);
    inner.addEdge(START, "n").addEdge("n", END);
    const outer = new Graph<string, string>()
      .addNode("inner", inner)
      .addNode("text", (count: number) => `${count}`)
      .addEdge(START, "inner")
      .addEdge("inner", "text")
      .addEdge("text", END);
    expect(await outer.compile().invoke("abc")).toBe("3");
  });
});

type Untyped = ReturnType<Graph<string, string>["untyped"]>;
