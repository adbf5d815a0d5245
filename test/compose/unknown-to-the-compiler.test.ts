// What the guide says that the compiler cannot know: that each of these compiles is checked with all tests, and here what the
// run makes of it.

import { Chain, END, Graph, KumikoError, memoryStore, passthrough, type Runnable, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { thrownBy } from "./thrown-by.js";

const same = (text: string) => text;
const codeOf = async (run: Promise<unknown>): Promise<unknown> => {
  const error = await errorOf(run);
  return KumikoError.is(error) ? error.code : error;
};

describe("what the compiler cannot know", () => {
  it("is whether whole values collide at a node", async () => {
    const graph = new Graph<string, string>().addNodes({ a: same, b: same, c: same });
    const both = graph.addEdge(START, "a").addEdge(START, "b").addEdge("a", "c").addEdge("b", "c").addEdge("c", END);
    expect(await codeOf(both.compile().invoke("x"))).toBe("CANNOT_MERGE");
  });

  it("is whether the parts of an input arrive in the same step", async () => {
    const seen: unknown[] = [];
    const graph = new Graph<string, number>()
      .addNode("now", same, { outputKey: "now" })
      .addNode("wait", same)
      .addNode("later", same, { outputKey: "later" })
      .addNode("join", (parts: { now: string; later: string }) => seen.push(Object.keys(parts)))
      .addEdge(START, "now")
      .addEdge(START, "wait")
      .addEdge("wait", "later")
      .addEdge("now", "join")
      .addEdge("later", "join")
      .addEdge("join", END);
    expect(thrownBy(() => graph.compile()).code).toBe("UNEVEN_JOIN");
    await graph.compile({ triggerMode: "allPredecessor" }).invoke("x");
    expect(seen).toEqual([["now", "later"]]);
  });

  it("is a computed key", () => {
    const keys: string[] = ["a", "a"];
    const [first = "", second = ""] = keys;
    const graph = new Graph<string, string>().addNode(first, same);
    expect(thrownBy(() => graph.addNode(second, same)).code).toBe("DUPLICATE_NODE");
    expect(thrownBy(() => new Graph<string, string>().addNode(first, same).addEdge(START, "b")).code).toBe(
      "UNKNOWN_NODE",
    );
  });

  it("is an id, an address or an answer that resume is given", async () => {
    const store = memoryStore();
    const app = new Chain<string>().append((text, ctx) => ctx.ask<string>("k", text)).compile({ store });
    await errorOf(app.invoke("x", { checkpointId: "id" }));
    expect(await codeOf(app.resume("other"))).toBe("UNKNOWN_CHECKPOINT");
    expect(await codeOf(app.resume("id", { nope: 1 }))).toBe("UNKNOWN_INTERRUPT");
    expect(await codeOf(app.resume("id", { byAddress: { nope: 1 } }))).toBe("UNKNOWN_INTERRUPT");
  });

  it("is the type of an unknown output, and a choice that was widened to text", async () => {
    const parsed = new Graph<string, number>()
      .addNode("parse", (text: string): unknown => text)
      .addNode("half", (count: number) => count / 2)
      .addEdge(START, "parse")
      .addEdge("parse", "half")
      .addEdge("half", END);
    expect(await parsed.compile().invoke("four")).toBeNaN();
    const text: string = "c";
    const chosen = new Graph<string, string>().addNode("a", same).addEdge("a", END);
    const branched = chosen.addBranch(START, ["a", END], async () => text);
    expect(await codeOf(branched.compile().invoke("x"))).toBe("UNKNOWN_BRANCH_TARGET");
  });

  it("is a value that is not of its type, where a switch leads by it", async () => {
    type Plan = { kind: "a"; text: string } | { kind: "b"; text: string };
    const app = new Chain<Plan>().appendSwitch("kind", { a: ({ text }) => text, b: ({ text }) => text }).compile();
    const plan: Plan = JSON.parse('{ "kind": "c", "text": "" }');
    expect(await codeOf(app.invoke(plan))).toBe("UNKNOWN_BRANCH_TARGET");
  });

  it("is what a component without declared call options takes", async () => {
    const retriever = { component: "retriever" as const, retrieve: async (query: string) => [query] };
    const graph = new Graph<string, string[]>().addNode("find", retriever, { options: { whatever: 3 } });
    expect(await graph.addEdge(START, "find").addEdge("find", END).compile().invoke("x")).toEqual(["x"]);
  });

  it("is a call whose result is dropped: it adds to a graph, but not to its type, and not to a chain", () => {
    const graph = new Graph<string, string>();
    graph.addNode("a", same);
    expect(thrownBy(() => graph.compile())).toBeInstanceOf(KumikoError);
    const chain = new Chain<string>();
    chain.append(same);
    expect(thrownBy(() => chain.compile()).message).toContain("append(…)");
  });

  it("is whether chunks are parts behind a node that passes them on", async () => {
    const graph = new Graph<string, { a: string; b: string }>()
      .addNode("a", same, { outputKey: "a" })
      .addNode("b", same, { outputKey: "b" })
      .addNode("both", passthrough())
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "both")
      .addEdge("b", "both")
      .addEdge("both", END);
    const keys: number[] = [];
    for await (const chunk of graph.compile().stream("x")) keys.push(Object.keys(chunk).length);
    expect(keys).toEqual([1, 1]);
  });

  it("is wiring in a function that is generic: a chain or handles check it", async () => {
    function counted<Page extends { title: string }>(change: (page: Page) => Page): Runnable<Page, number> {
      const graph = new Graph<Page, number>().untyped();
      graph.addNode("change", change);
      graph.addNode("count", ({ title }: Page) => title.length);
      return graph.addEdge(START, "change").addEdge("change", "count").addEdge("count", END).compile();
    }
    expect(await counted((page: { title: string }) => page).invoke({ title: "abc" })).toBe(3);
  });
});
