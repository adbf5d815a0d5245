import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileOptions, modes, outcomeOf, runOptions, start, ways } from "./every-way.js";

const measured = (options: object) =>
  new Graph({ input: z.string(), output: z.string().transform((text) => ({ text, size: text.length })) })
    .addNode("letters", async function* (text: string) {
      yield* text;
    })
    .addEdge(START, "letters")
    .addEdge("letters", END)
    .compile(options);

describe.each(ways)("an output schema that changes the value (%s)", (way) => {
  it.each(modes)(
    "does so in invoke and collect; stream and transform give the chunks as they are (%s)",
    async (mode) => {
      const outcome = await outcomeOf(start(measured(compileOptions(way)), mode, { value: "abc" }, runOptions(way)));
      const changes = mode === "invoke" || mode === "collect";
      expect(outcome).toEqual({ value: changes ? { text: "abc", size: 3 } : "abc" });
    },
  );
});
