import { expect, it } from "vitest";
import { END, Graph, START } from "../../../src/index.js";

// The first test needs a scheduler that nobody has loaded yet: this file has a process of its own.

it("starts late, but as it always does, in the turn in which the first graph of dependencies was compiled", async () => {
  const events: string[] = [];
  const caller = new AbortController();
  const run = graphOf(events).invoke(1, {
    signal: caller.signal,
    callbacks: [{ onStart: ({ name }) => void events.push(`start ${name}`) }],
  });
  caller.abort(new Error("left"));
  await expect(run).rejects.toThrow("left");
  expect(events).toEqual(["start "]);
});

it("starts inside its call from then on", async () => {
  const events: string[] = [];
  await graphOf([]).invoke(1);
  const run = graphOf(events).invoke(1);
  expect(events).toEqual(["a 1", "b 2"]);
  expect(await run).toBe(3);
});

function graphOf(events: string[]) {
  const add = (name: string) => (count: number) => {
    events.push(`${name} ${count}`);
    return count + 1;
  };
  return new Graph<number, number>()
    .addNode("a", add("a"))
    .addNode("b", add("b"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile({ triggerMode: "allPredecessor" });
}
