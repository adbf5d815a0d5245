import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { Chain, END, from, Graph, START, Workflow } from "../../src/index.js";

const ends = { input: z.string(), output: z.string().transform((text) => text.length) };
async function* letters(text: string) {
  for (const letter of text) yield letter;
}

it("chunks have the type that a transforming output schema takes", () => {
  const chain = new Chain(ends).append(letters).compile();
  const graph = new Graph(ends).addNode("a", letters).addEdge(START, "a").addEdge("a", END).compile();
  const flow = new Workflow(ends)
    .addNode("a", letters, { input: from(START) })
    .end(from("a"))
    .compile();
  for (const app of [chain, graph, flow]) {
    expectTypeOf(app.invoke("x")).resolves.toEqualTypeOf<number>();
    expectTypeOf(app.stream("x").concat()).resolves.toEqualTypeOf<string>();
  }
});

it("paths lead to data only", () => {
  interface Data {
    readonly text: string;
    readonly when: Date;
    readonly sizes: Readonly<Record<string, number>>;
  }
  const flow = () => new Workflow<Data, unknown>();
  flow().addNode("a", (_: { x: number | undefined }) => 1, { input: { x: from(START, "sizes.any") } });
  // @ts-expect-error an index signature promises no field
  flow().addNode("a", (_: { x: number }) => 1, { input: { x: from(START, "sizes.any") } });
  // @ts-expect-error the length of a text is not a field of its own
  flow().addNode("a", (_: { x: unknown }) => 1, { input: { x: from(START, "text.length") } });
  // @ts-expect-error a method
  flow().addNode("a", (_: { x: unknown }) => 1, { input: { x: from(START, "when.getTime") } });
});
