import { Graph } from "kumiko";
import { afterAll, beforeAll, expect, it } from "vitest";
import { settled } from "../schema/stream/producer.js";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

it.each([
  ["cancels a web stream that a node of a step gives after the run was stopped", false],
  ["minds no web stream of that kind which somebody else reads", true],
])("%s", async (_, locked) => {
  const cancelled: unknown[] = [];
  const late = new ReadableStream<string>({ cancel: (reason) => void cancelled.push(reason) });
  if (locked) late.getReader();
  const giveLate = async (_text: string): Promise<unknown> => {
    await settled();
    return late;
  };
  const controller = new AbortController();
  const graph = new Graph<string, string>()
    .addNode("other", (text: string) => text)
    .addNode("late", giveLate as (text: string) => Promise<string>)
    .addEdge("start", "other")
    .addEdge("start", "late")
    .addEdge("late", "end")
    .compile();
  const running = graph.invoke("text", { signal: controller.signal });
  controller.abort(new Error("stop"));
  await expect(running).rejects.toThrow("stop");
  await settled();
  await settled();
  expect(cancelled).toHaveLength(locked ? 0 : 1);
  expect(unhandled).toEqual([]);
});
