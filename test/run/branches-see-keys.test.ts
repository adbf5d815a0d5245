import { END, Graph, START, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { allWays, compileOptions, perWay, runOptions, start } from "./every-way.js";

/** What the branches behind a node with an output key were given. */
function watchedBranches(triggerMode: "anyPredecessor" | "allPredecessor") {
  return perWay(async (mode, way) => {
    const seen: unknown[] = [];
    const graph = new Graph<string, unknown>()
      .addNode("write", (text: string) => `${text}!`, { outputKey: "text" })
      .addNode("left", (given: unknown) => given, { outputKey: "left" })
      .addNode("right", (given: unknown) => given, { outputKey: "right" })
      .addEdge(START, "write")
      .addBranch("write", ["left"], (given) => {
        seen.push(given);
        return "left" as const;
      })
      .addStreamBranch(
        "write",
        ["right"],
        plain(async (stream: StreamReader<unknown>) => {
          seen.push(await stream.concat());
          return ["right"];
        }),
      )
      .addEdge("left", END)
      .addEdge("right", END)
      .compile({ triggerMode, ...compileOptions(way) });
    const result = await start(graph, mode, { value: "a" }, runOptions(way));
    return { seen, result };
  });
}

describe("a branch behind a node with an output key", () => {
  it.each(["anyPredecessor", "allPredecessor"] as const)(
    "is given the output under that key, however the graph runs (%s)",
    async (triggerMode) => {
      const expected = {
        seen: [{ text: "a!" }, { text: "a!" }],
        result: { left: { text: "a!" }, right: { text: "a!" } },
      };
      expect(await watchedBranches(triggerMode)).toEqual(allWays(expected));
    },
  );
});
