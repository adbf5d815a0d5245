import { END, Graph, lambda, mapChunks, type Runnable, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";

interface Question {
  readonly text: string;
  readonly size?: number;
}

/** What the compiler would not let pass: records without the text. */
const size = (count: number): Question => plain({ size: count });

const upper = (node: Runnable<string, string>) =>
  new Graph<Question, string>()
    .addNode("upper", node, { inputKey: "text" })
    .addEdge(START, "upper")
    .addEdge("upper", END)
    .compile();

describe("the input key of a node", () => {
  for (const [kind, graph] of [
    ["values", upper(lambda({ invoke: (text: string) => text.toUpperCase() }))],
    ["streams", upper(mapChunks((text: string) => text.toUpperCase()))],
  ] as const) {
    it(`is an error for a node on ${kind} when nothing of its input has it, in every mode`, async () => {
      const refusal = { code: "MISSING_INPUT_KEY", nodePath: ["upper"], message: expect.stringContaining('"size"') };
      const chunks = () => StreamReader.from<Question>([size(1), size(2)]);
      await expect(graph.invoke(size(1))).rejects.toMatchObject(refusal);
      await expect(graph.stream(size(1)).concat()).rejects.toMatchObject(refusal);
      await expect(graph.collect(chunks())).rejects.toMatchObject(refusal);
      await expect(graph.transform(chunks()).concat()).rejects.toMatchObject(refusal);
    });

    it(`may be missing in some chunks for a node on ${kind}`, async () => {
      const chunks = StreamReader.from<Question>([size(1), { text: "a" }, size(2), { text: "b" }]);
      await expect(graph.transform(chunks).concat()).resolves.toBe("AB");
    });
  }
});
