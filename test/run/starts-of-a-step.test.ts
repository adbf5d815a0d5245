import { END, Graph, START } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { allWays, compileOptions, perWay, runOptions, start } from "./every-way.js";
import { turns } from "./gate.js";

const triggers = ["anyPredecessor", "allPredecessor"] as const;
const keys = ["a", "b", "c"] as const;

type Node = (text: string) => string | Promise<string>;

/** Three nodes side by side, or one after the other. */
function threeNodes(shape: "side by side" | "in a line", work: (key: string) => Node) {
  const graph = new Graph<string, unknown>()
    .addNode("a", work("a"), { outputKey: "a", inputKey: undefined })
    .addNode("b", (given: unknown) => work("b")(String(given)), { outputKey: "b" })
    .addNode("c", (given: unknown) => work("c")(String(given)), { outputKey: "c" })
    .addEdge(START, "a");
  return shape === "side by side"
    ? graph.addEdge(START, "b").addEdge(START, "c").addEdge("a", END).addEdge("b", END).addEdge("c", END)
    : graph.addEdge("a", "b").addEdge("b", "c").addEdge("c", END);
}

describe.each(triggers)("a handler that aborts at the start of a node (%s)", (triggerMode) => {
  it.each(["side by side", "in a line"] as const)(
    "keeps that node and those after it from starting: %s",
    async (shape) => {
      const seen = await perWay(async (mode, way) => {
        const controller = new AbortController();
        const ran: string[] = [];
        const recorder = recordingHandler();
        const aborts = {
          onStart({ name }: { readonly name: string }) {
            if (name === "b") controller.abort(new Error("stop"));
          },
        };
        const graph = threeNodes(shape, (key) => (text) => {
          ran.push(key);
          return text;
        }).compile({ triggerMode, ...compileOptions(way) });
        const options = { ...runOptions(way), callbacks: [recorder, aborts], signal: controller.signal };
        await expect(start(graph, mode, { value: "x" }, options)).rejects.toThrow("stop");
        await turns();
        return { ran: ran.filter((key) => key !== "a"), started: recorder.names("onStart").slice(1) };
      });
      expect(seen).toEqual(allWays({ ran: [], started: ["a", "b"] }));
    },
  );

  it("does not undo the nodes before it: they have run in invoke", async () => {
    const ran: string[] = [];
    const controller = new AbortController();
    const aborts = {
      onStart: ({ name }: { readonly name: string }) => void (name === "c" && controller.abort(new Error("stop"))),
    };
    const graph = threeNodes("side by side", (key) => (text) => {
      ran.push(key);
      return text;
    }).compile({ triggerMode });
    await expect(graph.invoke("x", { callbacks: [aborts], signal: controller.signal })).rejects.toThrow("stop");
    expect(ran).toEqual(["a", "b"]);
  });
});

describe.each(triggers)("a node that throws at once (%s)", (triggerMode) => {
  it.each(keys)("keeps none of the nodes beside it from starting (%s)", async (failing) => {
    const seen = await perWay(async (mode, way) => {
      const ran: string[] = [];
      const graph = threeNodes("side by side", (key) => (text) => {
        ran.push(key);
        if (key === failing) throw new Error("no");
        return text;
      }).compile({ triggerMode, ...compileOptions(way) });
      const run = start(graph, mode, { value: "x" }, runOptions(way));
      await expect(run).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: [failing] });
      return ran;
    });
    expect(seen).toEqual(allWays(["a", "b", "c"]));
  });
});
