import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";

const joined = (left: unknown, right: unknown) =>
  new Graph<number, unknown>()
    .addNode("left", (_: number) => left)
    .addNode("right", (_: number) => right)
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge("left", END)
    .addEdge("right", END)
    .compile();

describe("records that meet", () => {
  it("are refused with a key __proto__, in runs on values and on streams", async () => {
    const graph = joined(JSON.parse('{"__proto__": {"admin": true}}'), { plain: 1 });
    const refusal = {
      code: "CANNOT_MERGE",
      message: expect.stringContaining('"left" gives a record with the key "__proto__"'),
    };
    await expect(graph.invoke(1)).rejects.toMatchObject(refusal);
    await expect(graph.stream(1).concat()).rejects.toMatchObject(refusal);
  });

  it("keep a key constructor like any other", async () => {
    await expect(joined({ constructor: 1 }, { plain: 1 }).invoke(1)).resolves.toEqual({ constructor: 1, plain: 1 });
  });

  it("that meet at END and cannot be joined are an error that names END", async () => {
    const refusal = { code: "CANNOT_MERGE", message: expect.stringContaining("The inputs of END of the graph") };
    await expect(joined("a", "b").invoke(1)).rejects.toMatchObject(refusal);
    await expect(joined("a", "b").stream(1).concat()).rejects.toMatchObject(refusal);
  });
});
