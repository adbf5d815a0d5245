import { costOf, type ModelPrice } from "../models/cost-of.js";
import type { TokenUsage } from "../schema/message/agentic-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { Attributes } from "./api.js";

type Prices = Readonly<Record<string, ModelPrice>>;

/** The tokens of the model answers inside a run, by model. */
export class UsageTotals {
  readonly #byModel = new Map<string, TokenUsage>();

  add(model: string, usage: TokenUsage): void {
    const before = this.#byModel.get(model);
    this.#byModel.set(model, before === undefined ? usage : sum(before, usage));
  }

  /** The summed usage and cost; empty if no answer had usage. */
  attributes(prices: Prices | undefined): Attributes {
    const [first, ...others] = this.#byModel.values();
    if (first === undefined) return {};
    const cost = prices === undefined ? undefined : costIfKnown(Object.fromEntries(this.#byModel), prices);
    return { ...usageAttributes(others.reduce(sum, first)), ...(cost === undefined ? {} : { [costAttribute]: cost }) };
  }
}

/** The semantic conventions have no cost attribute; several backends read this one. */
const costAttribute = "gen_ai.usage.cost";

export function usageAttributes(usage: TokenUsage): Attributes {
  return withoutUndefined({
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  });
}

export function costAttributes(model: string, usage: TokenUsage, prices: Prices | undefined): Attributes {
  const cost = prices === undefined ? undefined : costIfKnown({ [model]: usage }, prices);
  return cost === undefined ? {} : { [costAttribute]: cost };
}

/** Returns the cost, or `undefined` if the price of a model is unknown: a partial sum would mislead. */
function costIfKnown(usage: Readonly<Record<string, TokenUsage>>, prices: Prices): number | undefined {
  try {
    return costOf(usage, prices);
  } catch {
    return undefined;
  }
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return withoutUndefined({
    promptTokens: plus(one.promptTokens, other.promptTokens) ?? 0,
    completionTokens: plus(one.completionTokens, other.completionTokens) ?? 0,
    totalTokens: plus(one.totalTokens, other.totalTokens) ?? 0,
    reasoningTokens: plus(one.reasoningTokens, other.reasoningTokens),
    cachedTokens: plus(one.cachedTokens, other.cachedTokens),
    cacheWriteTokens: plus(one.cacheWriteTokens, other.cacheWriteTokens),
  });
}

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
