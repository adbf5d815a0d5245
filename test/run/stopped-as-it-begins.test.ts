import { END, Graph, lambda, START, type StreamReader } from "kumiko";
import { expect, it } from "vitest";

async function microtasks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await undefined;
}

it("rejects the first read of a stream at once when a node aborts the run as it begins", async () => {
  const controller = new AbortController();
  const slow = lambda({
    async collect(stream: StreamReader<string>) {
      controller.abort(new Error("stop"));
      await microtasks(100);
      return stream.concat();
    },
  });
  const graph = new Graph<string, string>()
    .addNode("slow", slow)
    .addEdge(START, "slow")
    .addEdge("slow", END)
    .compile({ triggerMode: "anyPredecessor" });
  const reader = graph.stream("x", { signal: controller.signal });
  const first = reader.next().then(String, String);
  expect(await Promise.race([first, microtasks(20)])).toBe("Error: stop");
  expect(await reader.next()).toMatchObject({ done: true });
});
