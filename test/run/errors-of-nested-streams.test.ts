import { END, Graph, memoryStore, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";

type Chunk = Record<string, number>;

/** A graph in a graph whose stream breaks while a node that feeds nothing is there too. */
function nested() {
  const innermost = new Graph<Chunk, Chunk>()
    .addNode("unread", () => ({ a: 1 }))
    .addNode("broken", async function* (): AsyncGenerator<Chunk> {
      yield { b: 1 };
      throw new Error("the wire broke");
    })
    .addEdge(START, "unread")
    .addEdge(START, "broken")
    .addEdge("broken", END)
    .compile({ triggerMode: "allPredecessor" });
  const inner = new Graph<Chunk, Chunk>()
    .addNode("deep", innermost)
    .addNode("next", (given: Chunk) => given)
    .addEdge(START, "deep")
    .addEdge("deep", "next")
    .addEdge("next", END)
    .compile();
  return new Graph<Chunk, Chunk>().addNode("top", inner).addEdge(START, "top").addEdge("top", END).compile({
    store: memoryStore(),
    durability: "step",
  });
}

describe("a stream that breaks in a graph with a node that feeds nothing", () => {
  it.each([
    ["plain", {}],
    ["saved", { checkpointId: "c" }],
  ])("fails at the node where it broke, in every mode: %s", async (_name, options) => {
    const place = { code: "NODE_FAILED", nodePath: ["top", "deep", "broken"] };
    await expect(nested().invoke({}, options)).rejects.toMatchObject(place);
    await expect(nested().stream({}, options).concat()).rejects.toMatchObject(place);
    await expect(nested().collect(StreamReader.from([{}]), options)).rejects.toMatchObject(place);
    await expect(
      nested()
        .transform(StreamReader.from([{}]), options)
        .concat(),
    ).rejects.toMatchObject(place);
  });
});
