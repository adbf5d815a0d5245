import { END, Graph, START } from "kumiko";

const handler = { onStart() {}, onEnd() {} };

/** Runs graphs of many shapes first, as a real process does: call sites see more than one kind of function. */
export async function pollute(): Promise<void> {
  const shapes = [(x: unknown) => ({ x }), async (x: unknown) => [x], (x: unknown) => String(x), async () => null];
  for (let n = 0; n < 300; n++) {
    const graph = new Graph<unknown, unknown>()
      .addNode("a", shapes[n % 4] as (x: unknown) => unknown)
      .addNode("b", shapes[(n + 1) % 4] as (x: unknown) => unknown)
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile();
    for (let run = 0; run < 5; run++) await graph.invoke(n, run % 2 === 0 ? undefined : { callbacks: [handler] });
  }
}
