import { type AgenticMessage, concatMessages, runnable, textOf } from "kumiko";
import { aiSdkModel } from "kumiko/models";
import { describe, expect, it } from "vitest";
import { failureOf, question } from "./attempts.js";
import { fakeProvider, type Part } from "./fake-provider.js";

/** What arrives before the finish, as parts of a stream, and in an answer in one piece. */
const contents: Record<string, { readonly parts: readonly Part[]; readonly whole: Part; readonly text: string }> = {
  "nothing else": { parts: [], whole: { content: [] }, text: "" },
  "nothing but an id": {
    parts: [{ type: "response-metadata", id: "r1" }],
    whole: { content: [], response: { id: "r1" } },
    text: "",
  },
  "a text": {
    parts: [
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "Hi" },
      { type: "text-end", id: "t" },
    ],
    whole: { content: [{ type: "text", text: "Hi" }] },
    text: "Hi",
  },
};

type Outcome = "answer" | "EMPTY_STREAM" | "STREAM_CUT" | "MODEL_FAILED";

/** What a finish makes of: nothing else, an id, and a text. */
const reasons: readonly (readonly [name: string, reason: unknown, ...outcomes: Outcome[]])[] = [
  ["stop", { unified: "stop", raw: "stop" }, "EMPTY_STREAM", "answer", "answer"],
  ["stop without a raw reason", { unified: "stop", raw: undefined }, "EMPTY_STREAM", "answer", "answer"],
  ["length", { unified: "length", raw: "max_tokens" }, "answer", "answer", "answer"],
  ["content-filter", { unified: "content-filter", raw: "SAFETY" }, "answer", "answer", "answer"],
  ["tool-calls", { unified: "tool-calls", raw: "tool_use" }, "answer", "answer", "answer"],
  ["a reason of its own", { unified: "other", raw: "pause_turn" }, "answer", "answer", "answer"],
  [
    "a reason that the package made up",
    { unified: "other", raw: undefined },
    "EMPTY_STREAM",
    "STREAM_CUT",
    "STREAM_CUT",
  ],
  ["no reason", undefined, "EMPTY_STREAM", "STREAM_CUT", "STREAM_CUT"],
  ["interrupted", { unified: "interrupted", raw: undefined }, "STREAM_CUT", "STREAM_CUT", "STREAM_CUT"],
  ["error", { unified: "error", raw: "failed" }, "MODEL_FAILED", "MODEL_FAILED", "MODEL_FAILED"],
  ["stop of spec V2", "stop", "EMPTY_STREAM", "answer", "answer"],
  ["length of spec V2", "length", "answer", "answer", "answer"],
  ["content-filter of spec V2", "content-filter", "answer", "answer", "answer"],
  ["other of spec V2", "other", "answer", "answer", "answer"],
  ["unknown of spec V2", "unknown", "EMPTY_STREAM", "STREAM_CUT", "STREAM_CUT"],
  ["error of spec V2", "error", "MODEL_FAILED", "MODEL_FAILED", "MODEL_FAILED"],
];

const cases = reasons.flatMap(([name, finishReason, ...outcomes]) =>
  Object.entries(contents).map(([content, given], index) => ({
    name: `${name} after ${content}`,
    outcome: outcomes[index] as Outcome,
    finishReason,
    ...given,
  })),
);

async function outcomeOf(asked: Promise<AgenticMessage>): Promise<{ message?: AgenticMessage; outcome: unknown }> {
  try {
    return { message: await asked, outcome: "answer" };
  } catch {
    return { outcome: ((await failureOf(asked)) as { code?: unknown }).code };
  }
}

describe("a finish is read alike, whether the answer is streamed or comes in one piece", () => {
  it.each(cases)("$name: $outcome", async ({ finishReason, parts, whole, text, outcome }) => {
    const usage = { inputTokens: { total: 3 }, outputTokens: { total: 0 } };
    const generating = fakeProvider([[{ response: {}, ...whole, finishReason, usage }]]);
    const streaming = fakeProvider([[{ type: "stream-start" }, ...parts, { type: "finish", finishReason, usage }]]);
    const read = async (): Promise<AgenticMessage> => {
      const chunks: AgenticMessage[] = [];
      for await (const chunk of runnable<AgenticMessage[], AgenticMessage>(aiSdkModel(streaming)).stream(question))
        chunks.push(chunk);
      return concatMessages(chunks);
    };
    const generated = await outcomeOf(
      runnable<AgenticMessage[], AgenticMessage>(aiSdkModel(generating)).invoke(question),
    );
    const streamed = await outcomeOf(read());
    expect([generated.outcome, streamed.outcome]).toEqual([outcome, outcome]);
    if (generated.message === undefined) return;
    expect(streamed.message?.contentBlocks).toEqual(generated.message.contentBlocks);
    expect(streamed.message?.responseMeta).toEqual(generated.message.responseMeta);
    expect(textOf(generated.message)).toBe(text);
  });
});
