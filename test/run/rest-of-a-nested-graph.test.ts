import { END, Graph, isInterrupt, lambda, memoryStore, START } from "kumiko";
import { expect, it } from "vitest";

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

async function* slow(chunks: AsyncIterable<string>) {
  for await (const chunk of chunks) {
    await turns(4);
    yield chunk;
  }
}

it("is stopped with the result of the graph, also when the run waits for an answer meanwhile", async () => {
  // END of the nested graph needs "quick" alone
  const inner = new Graph<string, string>()
    .addNode("slow", lambda({ transform: slow }))
    .addNode("quick", (text: string) => `${text}!`)
    .addEdge(START, "slow")
    .addEdge(START, "quick")
    .addEdge("quick", END);
  const app = new Graph<string, string>()
    .addNode("nested", inner.compile({ triggerMode: "allPredecessor" }))
    .addNode("unread", (text: string) => text)
    .addNode("asks", async (text: string, ctx) => `${text} ${await ctx.ask<string>("name", "Who?")}`)
    .addEdge(START, "nested")
    .addEdge(START, "asks")
    .addEdge("nested", "unread")
    .addEdge("asks", END)
    .compile({ store: memoryStore() });

  const error = await app
    .stream("hello", { checkpointId: "id" })
    .concat()
    .catch((caught: unknown) => caught);
  if (!isInterrupt(error)) throw error;
  expect(await app.resume("id", { [error.interrupts[0].id]: "Ann" })).toBe("hello Ann");
});
