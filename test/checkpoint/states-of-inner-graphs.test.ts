import { Chain, END, Graph, isInterrupt, memoryStore, type NodeContext, START } from "kumiko";
import { expect, it } from "vitest";

interface State {
  readonly seen: { readonly words: string[] };
  /** Not plain JSON, so the document needs another form for all of the state. */
  readonly letters: Set<string>;
}

/** A graph with a state, which it changes before and after a question. */
const inner = new Graph<string, string>()
  .withState((): State => ({ seen: { words: [] }, letters: new Set() }))
  .addNode("note", (input: string, { state }: NodeContext<State>) => {
    state.seen.words.push(input);
    state.letters.add(input.slice(0, 1));
    return input;
  })
  .addNode("ask", async (_: string, ctx: NodeContext<State>) => {
    ctx.state.seen.words.push("asked");
    const answer = (await ctx.ask("word", "Which word?")) as string;
    ctx.state.seen.words.push(answer);
    return ctx.state.seen.words.join(" ");
  })
  .addEdge(START, "note")
  .addEdge("note", "ask")
  .addEdge("ask", END);

it.each(["exit", "step"] as const)(
  "appends changes to the state of a graph that began after the first save: durability %s",
  async (durability) => {
    const app = new Chain<string>()
      .append(async (input) => input)
      .append(inner)
      .append(async (input) => input)
      .compile({ store: memoryStore(), durability });
    for (const mode of ["invoke", "stream"] as const) {
      const id = `run-${mode}`;
      const error: unknown = await (mode === "invoke"
        ? app.invoke("one", { checkpointId: id })
        : app.stream("one", { checkpointId: id }).concat()
      ).catch((thrown: unknown) => thrown);
      if (!isInterrupt(error)) throw error;
      expect(await app.resumeStream(id, { [error.interrupts[0].id]: "two" }).concat()).toBe("one asked asked two");
    }
  },
);
