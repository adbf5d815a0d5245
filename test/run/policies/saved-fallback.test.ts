import { Graph, isInterrupt, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";

describe.each(["exit", "step"] as const)("A saved fallback of a node with a rule for its chunks (%s)", (durability) => {
  it.each(["invoke", "stream"] as const)("is given as it is, after a question too (%s)", async (mode) => {
    const app = new Graph<string, string>()
      .addNode(
        "work",
        async function* (text: string) {
          yield text;
          throw new Error("cut");
        },
        { concat: (chunks: readonly string[]) => `<${chunks.join("")}>`, fallback: () => "instead" },
      )
      .addNode("ask", async (text: string, ctx) => `${text} ${await ctx.ask<string>("more", "more?")}`)
      .addEdge("start", "work")
      .addEdge("work", "ask")
      .addEdge("ask", "end")
      .compile({ store: memoryStore(), durability });
    const begun =
      mode === "invoke" ? app.invoke("a", { checkpointId: "1" }) : app.stream("a", { checkpointId: "1" }).concat();
    const error = await begun.catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    const answers = { [error.interrupts[0]?.id ?? ""]: "yes" };
    const result = mode === "invoke" ? app.resume("1", answers) : app.resumeStream("1", answers).concat();
    expect(await result).toBe("instead yes");
  });
});
