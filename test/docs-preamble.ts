/**
 * Names that code in README.md, in docs/ and in doc comments may use without making them. Prefer code that is complete: a
 * reader has to guess what stands here.
 */
import { z } from "zod";
import type { AgenticModel } from "../src/components/model.js";
import type { Runnable } from "../src/compose/runnable.js";
import type { AgenticMessage } from "../src/schema/message/agentic-message.js";
import { functionToolCall } from "../src/schema/message/construct-block.js";
import { assistantMessage } from "../src/schema/message/construct-message.js";
import { StreamReader } from "../src/schema/stream/reader.js";

export { z };

export const input = "hello";

/** Gives back what it gets. */
export const runnable: Runnable<string, string> = {
  invoke: async (text) => text,
  stream: (text) => StreamReader.from([text]),
  collect: (chunks) => StreamReader.from(chunks).concat(),
  transform: (chunks) => StreamReader.from(chunks),
};

/** Always says hello. */
export const model: AgenticModel = {
  component: "model",
  generate: async () => assistantMessage("Hello!"),
  stream: () => StreamReader.from([assistantMessage("Hello!")]),
};

/** An assistant message with one tool call. */
export const message: AgenticMessage = assistantMessage([
  functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' }),
]);

export const readStation = async (
  _city: string,
  _options?: { readonly signal?: AbortSignal },
): Promise<{ celsius: number }> => ({
  celsius: 22,
});

export const retryLater = (): void => {};
