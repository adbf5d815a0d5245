import { Graph } from "kumiko";
import { expect, it } from "vitest";

const addTwo = async function* (text: string): AsyncGenerator<{ first?: string; second?: string }> {
  yield { first: text };
  yield { second: text };
};

it.each([{ callbacks: [] }, { callbacks: [{ onStart: () => undefined }] }])(
  "joins the stream of a graph inside a graph as the node declares that gives it (%j)",
  async (options) => {
    const inner = new Graph<string, { first?: string; second?: string }>()
      .addNode("two", addTwo, { concat: "record" })
      .addEdge("start", "two")
      .addEdge("two", "end");
    const outer = new Graph<string, string>()
      .addNode("inner", inner)
      .addNode("list", (given: { first?: string; second?: string }) => `${given.first} and ${given.second}`)
      .addEdge("start", "inner")
      .addEdge("inner", "list")
      .addEdge("list", "end")
      .compile();
    expect(await outer.invoke("a", options)).toBe("a and a");
    expect(await outer.stream("a", options).concat()).toBe("a and a");
  },
);

it("fails with the error of the node that failed, though another node is done in the same moment", async () => {
  const failing = new Graph<string, string>()
    .addNode("never", (text: string) => text)
    .addEdge("start", "never")
    .addBranch("start", ["end"], () => "elsewhere" as "end")
    .compile({ triggerMode: "allPredecessor" });
  const outer = new Graph<string, string>()
    .addNode("other", (text: string) => text)
    .addNode("failing", failing)
    .addEdge("start", "other")
    .addEdge("start", "failing")
    .addEdge("failing", "end")
    .addBranch("other", ["end"], () => "end" as const)
    .compile({ triggerMode: "allPredecessor" });
  await expect(outer.invoke("a")).rejects.toMatchObject({ code: "UNKNOWN_BRANCH_TARGET", nodePath: ["failing"] });
  await expect(outer.stream("a").concat()).rejects.toMatchObject({
    code: "UNKNOWN_BRANCH_TARGET",
    nodePath: ["failing"],
  });
});
