import { type CompiledGraph, END, Graph, type GraphTypeError, type Runnable, START } from "kumiko";
import { describe, expectTypeOf, it } from "vitest";

interface Report {
  readonly size: number;
  readonly loud: string;
  readonly note?: string;
}
const report = () =>
  new Graph<string, Report>()
    .addNode("size", (text: string) => text.length, { outputKey: "size" })
    .addNode("loud", (text: string) => text.toUpperCase(), { outputKey: "loud" })
    .addNode("both", (text: string): Report => ({ size: 1, loud: text }))
    .addEdge(START, "size")
    .addEdge(START, "loud")
    .addEdge(START, "both");

describe("several nodes that lead to END", () => {
  it("bring the parts of the output", () => {
    const graph = report().addEdge("size", END).addEdge("loud", END);
    expectTypeOf(graph.compile()).toExtend<Runnable<string, Report>>();
    expectTypeOf(graph.compile()).toExtend<CompiledGraph<string, Report>>();
  });

  it("must bring every part that is needed", () => {
    const graph = report().addEdge("size", END);
    expectTypeOf<typeof graph.compile>().toEqualTypeOf<GraphTypeError<'"end" never gets "loud"'>>();
    // @ts-expect-error "end" never gets "loud"
    graph.compile();
  });

  it("must bring parts of the right types and names", () => {
    const graph = report()
      .addNode("big", () => "big", { outputKey: "size" })
      .addNode("deep", () => ({ depth: 1 }));
    // @ts-expect-error in "size": "big" gives { size: string }, "end" takes { size: number; loud: string; note?: string }
    graph.addEdge("big", END);
    // @ts-expect-error "deep" gives { depth: number }
    graph.addEdge("deep", END);
    // @ts-expect-error a text is no part
    graph.addNode("text", () => "x").addEdge("text", END);
  });

  it("give chunks that are parts of the output", async () => {
    const app = report().addEdge("size", END).addEdge("loud", END).compile();
    for await (const chunk of app.stream("x")) {
      expectTypeOf(chunk.size).toEqualTypeOf<number | undefined>();
      // @ts-expect-error a chunk may lack it
      chunk.loud.length;
    }
    for await (const chunk of app.resumeStream("id")) expectTypeOf(chunk.loud).toEqualTypeOf<string | undefined>();
    expectTypeOf(app.stream("x").concat()).resolves.toEqualTypeOf<Report>();
    expectTypeOf(app.invoke("x")).resolves.toEqualTypeOf<Report>();
    const whole = report().addEdge("both", END).compile();
    for await (const chunk of whole.stream("x")) expectTypeOf(chunk).toEqualTypeOf<Report>();
  });

  it("give a record to a graph around theirs", () => {
    const inner = report().addEdge("size", END).addEdge("loud", END);
    const outer = new Graph<string, number>()
      .addNode("built", inner)
      .addNode("compiled", inner.compile())
      .addNode("size", ({ size }: Report) => size)
      .addEdge(START, "built")
      .addEdge(START, "compiled")
      .addEdge("built", "size")
      .addEdge("compiled", "size")
      .addEdge("size", END);
    expectTypeOf(outer.compile()).toExtend<Runnable<string, number>>();
  });
});
