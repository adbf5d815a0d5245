import { expect, it } from "vitest";
import { usageOf } from "../../src/models/ai-sdk/usage.js";

it.each([
  [
    "V4",
    {
      inputTokens: { total: 10, noCache: 2, cacheRead: 5, cacheWrite: 3 },
      outputTokens: { total: 7, text: 3, reasoning: 4 },
    },
    undefined,
    {
      promptTokens: 10,
      completionTokens: 7,
      totalTokens: 17,
      reasoningTokens: 4,
      cachedTokens: 5,
      cacheWriteTokens: 3,
    },
  ],
  [
    "reasoning that a service leaves out of the completion",
    { inputTokens: { total: 307 }, outputTokens: { total: 26, text: 0, reasoning: 227 } },
    undefined,
    { promptTokens: 307, completionTokens: 253, totalTokens: 560, reasoningTokens: 227 },
  ],
  [
    "Google under V2, whose completion leaves out reasoning",
    { inputTokens: 29, outputTokens: 15, totalTokens: 848, reasoningTokens: 804 },
    { google: {} },
    { promptTokens: 29, completionTokens: 819, totalTokens: 848, reasoningTokens: 804 },
  ],
  [
    "OpenAI under V2, whose completion has it",
    { inputTokens: 18, outputTokens: 219, totalTokens: 237, reasoningTokens: 205, cachedInputTokens: 0 },
    { openai: {} },
    { promptTokens: 18, completionTokens: 219, totalTokens: 237, reasoningTokens: 205, cachedTokens: 0 },
  ],
  [
    "Anthropic under V2, whose prompt leaves out the cache",
    { inputTokens: 10, outputTokens: 4, totalTokens: 14, cachedInputTokens: 100 },
    { anthropic: { cacheCreationInputTokens: 50 } },
    { promptTokens: 160, completionTokens: 4, totalTokens: 164, cachedTokens: 100, cacheWriteTokens: 50 },
  ],
  ["a part of it", { inputTokens: { total: 10 }, outputTokens: {} }, undefined, { promptTokens: 10 }],
  ["nothing", { inputTokens: undefined, outputTokens: undefined }, undefined, undefined],
  ["null", null, undefined, undefined],
])("counts %s", (_, usage, providerMetadata, expected) => {
  expect(usageOf(usage, providerMetadata)).toEqual(expected);
});

it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, 1.5, "12", null, 2 ** 60])(
  "leaves out what cannot be a count: %s",
  (wrong) => {
    const nested = { inputTokens: { total: 10, cacheRead: wrong }, outputTokens: { total: wrong, reasoning: wrong } };
    expect(usageOf(nested, undefined)).toEqual({ promptTokens: 10 });
    const flat = { inputTokens: wrong, outputTokens: 7, totalTokens: wrong, cachedInputTokens: wrong };
    expect(usageOf(flat, { anthropic: { cacheCreationInputTokens: wrong } })).toEqual({ completionTokens: 7 });
    expect(usageOf({ inputTokens: wrong }, undefined)).toBeUndefined();
  },
);
