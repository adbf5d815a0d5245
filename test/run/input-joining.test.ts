import { ConcatRegistry, END, Graph, passthrough, Runtime, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";

class Sum {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

const runtime = new Runtime({
  concat: new ConcatRegistry().add(Sum, (chunks) => new Sum(chunks.reduce((sum, { value }) => sum + value, 0))),
});
const sums = () => StreamReader.from([new Sum(1), new Sum(2)]);
const whole = (sum: Sum) => sum;

describe("classes join through the registry of the runtime", () => {
  it("when the caller streams them into a node on values", async () => {
    const graph = new Graph<Sum, Sum>()
      .addNode("whole", whole)
      .addEdge(START, "whole")
      .addEdge("whole", END)
      .compile({ runtime });
    await expect(graph.collect(sums())).resolves.toEqual(new Sum(3));
    await expect(graph.transform(sums()).concat()).resolves.toEqual(new Sum(3));
  });

  it("when the caller streams them through a passthrough, also one with an output key", async () => {
    const graph = new Graph<Sum, { plain: Sum; keyed: Sum }>()
      .addNode("plain", passthrough<Sum>(), { outputKey: "plain" })
      .addNode("keyed", passthrough<Sum>())
      .addNode("last", passthrough<Sum>(), { outputKey: "keyed" })
      .addEdge(START, "plain")
      .addEdge(START, "keyed")
      .addEdge("keyed", "last")
      .addEdge("plain", END)
      .addEdge("last", END)
      .compile({ runtime, triggerMode: "allPredecessor" });
    await expect(graph.collect(sums())).resolves.toEqual({ plain: new Sum(3), keyed: new Sum(3) });
  });

  it("when the stream that comes in is the output of another run", async () => {
    const source = new Graph<Sum, Sum>().addEdge(START, END).compile();
    const graph = new Graph<Sum, Sum>().addEdge(START, END).compile({ runtime });
    await expect(graph.collect(source.transform(sums()))).resolves.toEqual(new Sum(3));
  });

  it("when a stream handler before a node makes them", async () => {
    const graph = new Graph<Sum, Sum>()
      .withState(() => ({}))
      .addNode("whole", whole, { streamBefore: () => sums() })
      .addEdge(START, "whole")
      .addEdge("whole", END)
      .compile({ runtime });
    await expect(graph.invoke(new Sum(0))).resolves.toEqual(new Sum(3));
    await expect(graph.stream(new Sum(0)).concat()).resolves.toEqual(new Sum(3));
  });

  it("of a graph inside, when the runtime is its own", async () => {
    const inner = new Graph<Sum, Sum>()
      .addNode("stream", (_: Sum) => sums())
      .addEdge(START, "stream")
      .addEdge("stream", END)
      .compile({ runtime });
    const outer = new Graph<Sum, Sum>().addNode("inner", inner).addEdge(START, "inner").addEdge("inner", END).compile();
    await expect(outer.invoke(new Sum(0))).resolves.toEqual(new Sum(3));
    await expect(outer.stream(new Sum(0)).concat()).resolves.toEqual(new Sum(3));
  });
});

describe("the input of a run", () => {
  it("is named when its chunks cannot be joined", async () => {
    const graph = new Graph<Sum, Sum>().addEdge(START, END).compile();
    await expect(graph.collect(sums())).rejects.toMatchObject({
      code: "CANNOT_CONCAT",
      message: expect.stringContaining("The chunks of the input"),
    });
  });
});
