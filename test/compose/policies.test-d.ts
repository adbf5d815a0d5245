import { batch, Graph, type NodeFailure, type Runnable } from "kumiko";
import { expectTypeOf, it } from "vitest";

declare const length: Runnable<string, number>;

it("gives fallback and the key of a cache the input behind the input key", () => {
  new Graph<{ text: string }, { size: number }>().addNode("length", (text: string) => text.length, {
    inputKey: "text",
    outputKey: "size",
    fallback: (failure) => {
      expectTypeOf(failure).toEqualTypeOf<NodeFailure<string>>();
      return 0;
    },
    cache: { key: (text) => text.slice(1) },
  });
});

it("takes from fallback what the node gives, and nothing else", () => {
  new Graph<string, number>().addNode("length", length, {
    // @ts-expect-error a text is no number
    fallback: () => "none",
  });
});

it("leads failures to nodes that take them", () => {
  const graph = new Graph<{ text: string }, string>()
    .addNode("length", (text: string) => `${text.length}`, { inputKey: "text" })
    .addNode("sorry", ({ input, attempts }: NodeFailure<string>) => `${input} ${attempts}`)
    .addNode("other", (count: number) => `${count}`)
    .addEdge("start", "length")
    .addEdge("length", "end");
  const handled = graph
    .addErrorBranch("length", ["sorry"], async ({ input, error }) => {
      expectTypeOf(input).toEqualTypeOf<string>();
      return error.code === "NODE_FAILED" ? "sorry" : undefined;
    })
    .addEdge("sorry", "end");
  expectTypeOf(handled.addErrorBranch).not.toBeNever();
  // @ts-expect-error "other" takes a number
  graph.addErrorBranch("length", ["other"], () => "other");
  // @ts-expect-error it is not among the targets
  graph.addErrorBranch("length", ["sorry"], () => "other");
  // @ts-expect-error START does not fail
  graph.addErrorBranch("start", ["sorry"], () => "sorry");
  // @ts-expect-error an error branch chooses one target
  graph.addErrorBranch("length", ["sorry"], () => ["sorry"]);
});

it("feeds the target of an error branch", () => {
  const graph = new Graph<string, string>()
    .addNode("work", (text: string) => text)
    .addNode("sorry", ({ error }: NodeFailure<string>) => error.message)
    .addEdge("start", "work")
    .addEdge("work", "end")
    .addErrorBranch("work", ["sorry"], () => "sorry")
    .addEdge("sorry", "end");
  expectTypeOf(graph.compile()).toExtend<Runnable<string, string>>();
});

it("gives settled results where they were asked for", () => {
  expectTypeOf(batch(length, ["a"], { settled: true })).toEqualTypeOf<Promise<PromiseSettledResult<number>[]>>();
  expectTypeOf(batch(length, ["a"], { retry: true })).toEqualTypeOf<Promise<number[]>>();
  void batch(length, ["a"], { onResult: (value, index) => expectTypeOf([value, index]).toEqualTypeOf<number[]>() });
});
