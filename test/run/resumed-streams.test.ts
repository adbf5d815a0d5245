import { END, Graph, lambda, memoryStore, START, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { interruptOf } from "../checkpoint/interrupt-of.js";

const durabilities = ["exit", "step"] as const;

/** A node that yields chunks, and behind it one that notes each chunk; the run stops between the two. */
function stopped(chunks: readonly unknown[], durability: "exit" | "step", options: object = {}) {
  const yielded: unknown[] = [];
  const read: unknown[] = [];
  const app = new Graph<string, number>()
    .addNode(
      "yields",
      async function* () {
        for (const chunk of chunks) {
          yielded.push(chunk);
          yield chunk;
        }
      },
      options,
    )
    .addNode(
      "reads",
      lambda({
        transform: async function* (stream: StreamReader<unknown>) {
          for await (const chunk of stream) {
            read.push(chunk);
            yield read.length;
          }
        },
      }),
    )
    .addEdge(START, "yields")
    .addEdge("yields", "reads")
    .addEdge("reads", END)
    .compile({ store: memoryStore(), durability, interruptBefore: ["reads"] });
  return { app, yielded, read };
}

describe.each(durabilities)("a stream on its way when its run stops (durability %s)", (durability) => {
  it.each<[string, readonly unknown[], object]>([
    ["texts", ["a", "b", "c"], {}],
    ["numbers", [1, 2, 3], {}],
    ["objects that nobody said how to join", [{ a: 1 }, { a: 2 }], {}],
    ["objects that join to a list", [{ a: 1 }, { a: 2 }], { concat: "list" }],
    ["texts that a function joins", ["a", "b"], { concat: (all: string[]) => all.join("-") }],
    ["nothing, and texts", [null, "a", null, "b"], {}],
  ])("reaches a node that reads chunk by chunk in its chunks: %s", async (_what, chunks, options) => {
    const { app, yielded, read } = stopped(chunks, durability, options);
    await interruptOf(app.stream("", { checkpointId: "run" }).concat());
    await app.resumeStream("run").concat();
    expect(read).toEqual(chunks);
    expect(yielded).toEqual(chunks);
  });

  it("under an output key reaches that node in its chunks too", async () => {
    const { app, read } = stopped(["a", "b"], durability, { outputKey: "text" });
    await interruptOf(app.stream("", { checkpointId: "run" }).concat());
    await app.resumeStream("run").concat();
    expect(read).toEqual([{ text: "a" }, { text: "b" }]);
  });

  it("does not keep the run from stopping when its chunks cannot be joined", async () => {
    const { app } = stopped([{ a: 1 }, { b: 2 }], durability);
    const { interrupts } = await interruptOf(app.stream("", { checkpointId: "run" }).concat());
    expect(interrupts).toMatchObject([{ info: { kind: "before_after", before: ["reads"] } }]);
  });
});

it("streams objects that nobody said how to join through a run that is saved at each step", async () => {
  const app = new Graph<string, number>()
    .addNode("yields", async function* () {
      yield { size: 1 };
      yield { size: 2 };
    })
    .addNode("sizes", lambda({ transform: (stream: StreamReader<{ size: number }>) => stream.map(({ size }) => size) }))
    .addEdge(START, "yields")
    .addEdge("yields", "sizes")
    .addEdge("sizes", END)
    .compile({ store: memoryStore(), durability: "step" });
  const sizes: number[] = [];
  for await (const size of app.stream("", { checkpointId: "run" })) sizes.push(size);
  expect(sizes).toEqual([1, 2]);
});
