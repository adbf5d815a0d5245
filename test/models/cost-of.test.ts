import { costOf } from "kumiko/models";
import { expect, it } from "vitest";

const tokens = (promptTokens: number, completionTokens: number, more: object = {}) => ({
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
  ...more,
});

it("counts each kind of token once, at its price per million", () => {
  const usage = {
    "openai/gpt-5": tokens(1_000_000, 100_000, {
      cachedTokens: 600_000,
      cacheWriteTokens: 100_000,
      reasoningTokens: 90_000,
    }),
  };
  const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };
  expect(costOf(usage, { "openai/gpt-5": price })).toBeCloseTo(0.3 + 0.06 + 0.125 + 1);
  expect(costOf(usage, { "openai/gpt-5": { input: 1, output: 10 } })).toBeCloseTo(2);
});

it("adds models up, and finds the price of a service under its first name", () => {
  const usage = { "openai.responses/gpt-5": tokens(1_000_000, 0), "a/b": tokens(0, 1_000_000) };
  expect(costOf(usage, { "openai/gpt-5": { input: 2, output: 0 }, "a/b": { input: 0, output: 3 } })).toBe(5);
  expect(costOf({}, {})).toBe(0);
});

it("names a model without a price", () => {
  expect(() => costOf({ "a/b": tokens(1, 1) }, { "a/c": { input: 1, output: 1 } })).toThrow(
    /no price for "a\/b"\. Prices: a\/c/,
  );
});

it("counts nothing for what cannot be a count, and refuses what cannot be a price", () => {
  const price = { input: 1, output: 1 };
  expect(costOf({ m: tokens(-5, Number.NaN) }, { m: price })).toBe(0);
  expect(() => costOf({ m: tokens(1, 1) }, { m: { ...price, cacheread: 1 } as never })).toThrow(
    /"cacheread".*price of "m"/,
  );
  expect(() => costOf({ m: tokens(1, 1) }, { m: { input: "1", output: 1 } as never })).toThrow(
    /input of the price of "m"/,
  );
});
