import { type AgenticMessage, StreamReader } from "kumiko";
import { expect, it } from "vitest";
import { open, watchersOf } from "./listener.js";

const message = (text: string): AgenticMessage => ({
  role: "assistant",
  contentBlocks: [{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }],
});

it("a run that streams messages has ended, with the joined message, when its reader is at the end", async () => {
  const heard: unknown[] = [];
  const watch = open("model", watchersOf([{ onEnd: (_info, value) => heard.push(value) }]));
  watch.start({});
  const reader = watch.outputStream(StreamReader.from([message("to "), message("be")]));
  let chunks = 0;
  for await (const _ of reader) chunks++;
  expect(chunks).toBe(2);
  expect(heard).toEqual([{ role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: "to be" }] }]);
});

it("a stream of texts passes, and its run ends with the text", async () => {
  const heard: unknown[] = [];
  const watch = open("lambda", watchersOf([{ onEnd: (_info, value) => heard.push(value) }]));
  watch.start({});
  expect(await watch.outputStream(StreamReader.from([undefined, "to ", "be"])).concat()).toBe("to be");
  await Promise.resolve();
  expect(heard).toEqual(["to be"]);
});
