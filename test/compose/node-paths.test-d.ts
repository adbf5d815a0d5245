import { Chain, END, Graph, type RunOptions, START } from "kumiko";
import type { AnyRunnable, InputOf, NodePaths, OutputOf } from "kumiko/compose";
import { describe, expectTypeOf, it } from "vitest";

const leaf = (text: string) => text;
const inner = new Graph<string, string>().addNode("x", leaf).addEdge(START, "x").addEdge("x", END);
const chain = new Chain<string>().append(leaf).append(inner, { key: "nested" });
const outer = new Graph<string, string>()
  .addNode("leaf", leaf)
  .addNode("inner", inner)
  .addNode("chain", chain.compile())
  .addEdge(START, "leaf")
  .addEdge("leaf", "inner")
  .addEdge("inner", "chain")
  .addEdge("chain", END)
  .compile();

describe("the paths in run options", () => {
  it("are the keys of nodes, joined by slashes", () => {
    outer.invoke("", {
      nodes: { leaf: {}, inner: {}, "inner/x": { options: {} }, "chain/nested/x": { callbacks: [] } },
    });
    // @ts-expect-error no such node
    outer.invoke("", { nodes: { leef: {} } });
    // @ts-expect-error nothing is inside a function
    outer.stream("", { nodes: { "leaf/x": {} } });
    // @ts-expect-error no such node inside
    outer.stream("", { nodes: { "inner/y": {} } });
    // @ts-expect-error a place has no such option
    outer.invoke("", { nodes: { leaf: { callback: [] } } });
  });

  it("are known of nodes that addNodes has added", () => {
    const app = new Graph<string, string>()
      .addNodes({ leaf, inner })
      .addEdge(START, "leaf")
      .addEdge("leaf", "inner")
      .addEdge("inner", END)
      .compile();
    app.invoke("", { nodes: { leaf: {}, "inner/x": {} } });
    // @ts-expect-error nothing is inside a function
    app.invoke("", { nodes: { "leaf/x": {} } });
    // @ts-expect-error no such node inside
    app.invoke("", { nodes: { "inner/y": {} } });
  });

  it("may be the numbered keys of a chain", () => {
    outer.invoke("", { nodes: { "chain/node_0": {} } });
    chain.compile().invoke("", { nodes: { node_0: {}, node_1_branch_a: {}, nested: {}, "nested/x": {} } });
    // @ts-expect-error no such step
    chain.compile().invoke("", { nodes: { nestd: {} } });
  });

  it("are any text where the compiler knows no keys", () => {
    const graph = new Graph<string, string>().untyped();
    graph.addEdge("start", "end");
    graph.compile().invoke("", { nodes: { whatever: {} } });
    expectTypeOf<NodePaths<Record<never, never>>>().toEqualTypeOf<string>();
  });

  it("do not stand in the way of a plain Runnable or of options made elsewhere", () => {
    const options: RunOptions = { nodes: { leaf: {} } };
    outer.invoke("", options);
    expectTypeOf(outer).toExtend<AnyRunnable>();
    expectTypeOf<InputOf<typeof outer>>().toEqualTypeOf<string>();
    expectTypeOf<OutputOf<typeof outer>>().toEqualTypeOf<string>();
  });
});
