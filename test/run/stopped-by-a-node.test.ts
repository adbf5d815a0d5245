import { Chain } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { expect, it } from "vitest";

const start = (text: string): string => text;
const startLater = async (text: string): Promise<string> => text;

it.each([
  ["in a run that nobody watches", start, false],
  ["after a node that was awaited", startLater, false],
  ["in a watched run", start, true],
  ["in a watched run, after a node that was awaited", startLater, true],
])("starts nothing more when a synchronous node has stopped its run, %s", async (_, first, watched) => {
  const controller = new AbortController();
  const ran: string[] = [];
  const chain = new Chain<string>()
    .append(first)
    .append((text) => {
      ran.push("stops");
      controller.abort(new Error("stop"));
      return text;
    })
    .append((text) => {
      ran.push("next");
      return text;
    })
    .compile();
  const recorder = recordingHandler();
  const running = chain.invoke("text", { signal: controller.signal, callbacks: watched ? [recorder] : [] });
  await expect(running).rejects.toThrow("stop");
  expect(ran).toEqual(["stops"]);
  expect(recorder.unfinished()).toEqual([]);
});
