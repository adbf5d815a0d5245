import { Chain, END, Graph, passthrough, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { thrownBy } from "./thrown-by.js";

type Parts = Record<string, string>;
const same = (text: string) => text;

/** `price` takes one step, `wood` two: through `ask`, then `slow`. */
function uneven() {
  return new Graph<string, Parts>()
    .untyped()
    .addNode("quick", same, { outputKey: "price" })
    .addNode("ask", same)
    .addNode("slow", same, { outputKey: "wood" })
    .addNode("join", (parts: Parts) => parts)
    .addEdge(START, "quick")
    .addEdge(START, "ask")
    .addEdge("ask", "slow")
    .addEdge("slow", "join");
}

describe("a join whose parts arrive in different steps", () => {
  it("is refused by compile(), which names what is there and what is late", () => {
    const graph = uneven().addEdge("quick", "join").addEdge("join", END);
    const error = thrownBy(() => graph.compile());
    expect(error.code).toBe("UNEVEN_JOIN");
    expect(error.message).toBe(
      '"join" would run with "price" before "slow" has delivered "wood": compile with triggerMode "allPredecessor", or lead the ' +
        "short path through a passthrough.",
    );
  });

  it("is refused at END, and inside another graph", () => {
    const graph = new Graph<string, Parts>().untyped().addNode("a", same).addNode("b", same, { outputKey: "b" });
    graph.addNode("c", same, { outputKey: "c" }).addNode("d", same, { outputKey: "d" });
    graph.addEdge(START, "b").addEdge(START, "a").addEdge("a", "c").addEdge("a", "d");
    for (const key of ["b", "c", "d"]) graph.addEdge(key, END);
    expect(thrownBy(() => graph.compile()).message).toContain(
      '"end" would run with "b" before "c" has delivered "c" and "d" has delivered "d"',
    );
    const outer = new Chain<string>().append(graph);
    expect(thrownBy(() => outer.compile())).toMatchObject({ code: "UNEVEN_JOIN", nodePath: ["node_0"] });
  });

  it("waits for all of them with allPredecessor", async () => {
    const graph = uneven().addEdge("quick", "join").addEdge("join", END);
    const app = graph.compile({ triggerMode: "allPredecessor" });
    expect(await app.invoke("x")).toEqual({ price: "x", wood: "x" });
  });

  it("is even with a passthrough on the short path", async () => {
    const graph = uneven().addNode("wait", passthrough(), {}).addEdge("quick", "wait").addEdge("wait", "join");
    expect(await graph.addEdge("join", END).compile().invoke("x")).toEqual({ price: "x", wood: "x" });
  });
});

describe("a join is let alone", () => {
  const compiles = (graph: { compile(): unknown }) => expect(() => graph.compile()).not.toThrow();

  it("if its parts arrive in the same step", () => {
    const graph = uneven().addNode("later", same, { outputKey: "price" });
    compiles(graph.addEdge("ask", "later").addEdge("later", "join").addEdge("quick", END).addEdge("join", END));
  });

  it("if its values have no output keys, or the same one", () => {
    const whole = new Graph<string, string>().untyped().addNode("a", same).addNode("b", same);
    compiles(whole.addEdge(START, "a").addEdge(START, "b").addEdge("a", "b").addEdge("b", END));
    const equal = new Graph<string, Parts>()
      .untyped()
      .addNode("a", same, { outputKey: "x" })
      .addNode("b", (parts: Parts) => parts.x, { outputKey: "x" });
    compiles(equal.addEdge(START, "a").addEdge("a", "b").addEdge("a", END).addEdge("b", END));
  });

  it("in a graph with a branch, or a loop", () => {
    const join = (graph: ReturnType<typeof uneven>) => graph.addEdge("quick", "join").addEdge("join", END);
    compiles(join(uneven()).addBranch("ask", ["slow"], () => "slow"));
    compiles(join(uneven()).addEdge("slow", "ask"));
  });
});
