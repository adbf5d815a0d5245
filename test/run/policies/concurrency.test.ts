import { END, Graph, lambda, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { turns } from "./policy-app.js";

/** Counts who runs at a time. */
function counter(): { most: () => number; work: (text: string) => Promise<string> } {
  let now = 0;
  let most = 0;
  return {
    most: () => most,
    async work(text) {
      most = Math.max(most, ++now);
      await turns(1);
      now--;
      return text;
    },
  };
}

function wide(work: (text: string) => unknown, count = 6) {
  const graph = new Graph<string, Record<string, string>>().untyped();
  for (let n = 0; n < count; n++) {
    const node = `n${n}`;
    graph.addNode(node, work as (text: string) => string, { outputKey: `n${n}` });
    graph.addEdge(START, node).addEdge(node, END);
  }
  return graph;
}

describe("maxConcurrency", () => {
  it.each([1, 2, 4])("lets at most %i bodies run at a time", async (limit) => {
    const { most, work } = counter();
    const app = wide(work).compile();
    await app.invoke("a", { maxConcurrency: limit });
    expect(most()).toBe(limit);
    await app.stream("a", { maxConcurrency: limit }).concat();
    expect(most()).toBe(limit);
    await app.invoke("a");
    expect(most()).toBe(6);
  });

  it("counts the nodes of inner graphs, and not the graphs", async () => {
    const { most, work } = counter();
    const inner = wide(work, 3);
    const app = wide(work, 2);
    const outer = new Graph<string, Record<string, unknown>>().untyped();
    for (const key of ["x", "y"]) {
      outer
        .addNode(key, inner as never, { outputKey: key })
        .addEdge(START, key)
        .addEdge(key, END);
    }
    await outer.compile().invoke("a", { maxConcurrency: 2 });
    expect(most()).toBe(2);
    await app.compile().invoke("a", { maxConcurrency: 1 });
  });

  it("lets child runs share the place of the body that started them: nobody waits for ever", async () => {
    let running = 0;
    let most = 0;
    const leaf = lambda({
      async invoke(text: string) {
        most = Math.max(most, ++running);
        await turns(1);
        running--;
        return text;
      },
    });
    const child = new Graph<string, string>()
      .addNode("leaf", leaf)
      .addEdge("start", "leaf")
      .addEdge("leaf", "end")
      .compile({ name: "child" });
    const app = new Graph<string, string[]>()
      .addNode("parent", (text: string, ctx) =>
        Promise.all([1, 2, 3].map((n) => child.invoke(`${text}${n}`, { parent: ctx, key: `${n}` }))),
      )
      .addEdge("start", "parent")
      .addEdge("parent", "end")
      .compile();
    expect(await app.invoke("a", { maxConcurrency: 1 })).toEqual(["a1", "a2", "a3"]);
    expect(most).toBe(1);
    expect(await app.invoke("a", { maxConcurrency: 2 })).toEqual(["a1", "a2", "a3"]);
    expect(most).toBe(2);
  });

  it("lets a line of nodes that stream go on", async () => {
    const app = new Graph<string, string>()
      .addNode("a", async function* (text: string) {
        yield text;
        yield "b";
      })
      .addNode(
        "b",
        lambda({
          async *transform(chunks: AsyncIterable<string>) {
            for await (const chunk of chunks) yield chunk.toUpperCase();
          },
        }),
      )
      .addEdge("start", "a")
      .addEdge("a", "b")
      .addEdge("b", "end")
      .compile();
    expect(await app.stream("a", { maxConcurrency: 1 }).concat()).toBe("AB");
  });

  it("gives the place back while a node waits for its next attempt", async () => {
    const order: string[] = [];
    let failed = false;
    const graph = new Graph<string, Record<string, string>>().untyped();
    graph.addNode(
      "first",
      (text: string) => {
        order.push("first");
        if (!failed) {
          failed = true;
          throw new Error("once");
        }
        return text;
      },
      { outputKey: "first", retry: { delayMs: 20 } },
    );
    graph.addNode(
      "second",
      (text: string) => {
        order.push("second");
        return text;
      },
      { outputKey: "second" },
    );
    for (const node of ["first", "second"]) graph.addEdge(START, node).addEdge(node, END);
    await graph.compile().invoke("a", { maxConcurrency: 1 });
    expect(order).toEqual(["first", "second", "first"]);
  });

  it("is a whole number of at least 1", async () => {
    const app = wide((text) => text, 1).compile();
    await expect(app.invoke("a", { maxConcurrency: 0 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
