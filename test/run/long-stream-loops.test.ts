import { END, Graph, lambda, START, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { compileOptions, type Mode, modes, runOptions, start, type Way, ways } from "./every-way.js";

const rounds = 2_000;

/** A loop of generators, each of which reads the one before it. */
const counting = (options: object) =>
  new Graph<number, number>()
    .addNode(
      "next",
      lambda({
        transform: async function* (stream: StreamReader<number>) {
          for await (const count of stream) yield count + 1;
        },
      }),
    )
    .addEdge(START, "next")
    .addStreamBranch("next", ["next", END], async (stream) => {
      for await (const count of stream) return count < rounds ? "next" : END;
      return END;
    })
    .compile({ maxSteps: rounds + 10, ...options });

const run = (mode: Mode, way: Way) => start(counting(compileOptions(way)), mode, { value: 0 }, runOptions(way));

describe.each(ways)(`a loop of ${rounds} generators with a stream branch (%s)`, (way) => {
  it.each(modes)("comes to its end (%s)", async (mode) => {
    expect(await run(mode, way)).toBe(rounds);
  });
});
