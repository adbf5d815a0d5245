import { Graph } from "kumiko";
import { afterAll, beforeAll, expect, it } from "vitest";
import { settled } from "../schema/stream/producer.js";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

it("leaves no rejection behind when the step ends before it comes to a node whose inputs are still merged", async () => {
  const graph = new Graph<string, string>()
    .addNode("a", async function* (text: string) {
      await settled();
      yield text;
    })
    .addNode("b", (text: string) => text)
    .addNode("never", (text: string) => text)
    .addNode("merged", (text: string) => text, { merge: (values: readonly string[]) => values.join() })
    .addEdge("start", "a")
    .addEdge("start", "b")
    .addEdge("a", "never")
    .addEdge("a", "merged")
    .addEdge("b", "merged")
    .addEdge("merged", "end")
    .compile({ maxSteps: 1 });
  await expect(graph.stream("text").concat()).rejects.toMatchObject({ code: "MAX_STEPS_EXCEEDED" });
  await settled();
  expect(unhandled).toEqual([]);
});
