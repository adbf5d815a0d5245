import { checkOptions } from "../check-options.js";
import type { TokenUsage } from "../schema/message/agentic-message.js";
import { requireNumber } from "./check-options.js";
import { countIf } from "./count-if.js";
import { noPrice } from "./errors.js";

/** The prices of a model, per million tokens, in any currency. */
export interface ModelPrice {
  /** A million tokens of prompts. */
  readonly input: number;
  /** A million tokens of answers, reasoning included. */
  readonly output: number;
  /** Prompt tokens that are read from a cache. @default input */
  readonly cacheRead?: number | undefined;
  /** Prompt tokens that are written to a cache. @default input */
  readonly cacheWrite?: number | undefined;
}

/**
 * Returns the cost of the tokens of one or several models. The keys of both records are `provider/model`, as in
 * `responseMeta.model` of an answer; `openai/gpt-5` is also the price of `openai.responses/gpt-5`. Throws if a model has no
 * price.
 *
 * @example
 * const usage = { "openai/gpt-5": { promptTokens: 12_000, completionTokens: 800, totalTokens: 12_800, cachedTokens: 10_000 } };
 * const dollars = costOf(usage, { "openai/gpt-5": { input: 1.25, output: 10, cacheRead: 0.125 } });
 */
export function costOf(
  usageByModel: Readonly<Record<string, TokenUsage>>,
  prices: Readonly<Record<string, ModelPrice>>,
): number {
  let cost = 0;
  for (const [model, usage] of Object.entries(usageByModel)) cost += costOfUsage(usage, priceOf(model, prices));
  return cost / 1_000_000;
}

function costOfUsage(
  usage: Partial<TokenUsage>,
  { input, output, cacheRead = input, cacheWrite = input }: ModelPrice,
): number {
  const countOf = (name: keyof TokenUsage): number => countIf(usage[name]) ?? 0;
  const [read, written] = [countOf("cachedTokens"), countOf("cacheWriteTokens")];
  const fresh = Math.max(0, countOf("promptTokens") - read - written);
  return fresh * input + read * cacheRead + written * cacheWrite + countOf("completionTokens") * output;
}

function priceOf(model: string, prices: Readonly<Record<string, ModelPrice>>): ModelPrice {
  const slash = model.indexOf("/");
  const [service = ""] = model.slice(0, Math.max(0, slash)).split(".");
  const price = ownPrice(prices, model) ?? ownPrice(prices, `${service}${model.slice(slash)}`);
  if (price === undefined) throw noPrice(model, Object.keys(prices));
  const where = `the price of "${model}"`;
  checkOptions(where, price, ["input", "output", "cacheRead", "cacheWrite"]);
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  requireNumber(where, { input, output, cacheRead, cacheWrite }, 0);
  return price;
}

function ownPrice(prices: Readonly<Record<string, ModelPrice>>, model: string): ModelPrice | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}
