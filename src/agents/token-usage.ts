import { countIf } from "../models/count-if.js";
import type { TokenUsage } from "../schema/message/agentic-message.js";

export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/** The tokens that a call of a model has used. */
export interface SpentTokens {
  readonly model: string;
  readonly usage: TokenUsage | undefined;
}

/** The sum of two calls. What neither reports stays absent, and so does what cannot be a count: models can be anything. */
export function addUsage(first: TokenUsage, second: TokenUsage | undefined): TokenUsage {
  if (second === undefined) return first;
  const sum: { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] } = {
    promptTokens: countIn(first.promptTokens) + countIn(second.promptTokens),
    completionTokens: countIn(first.completionTokens) + countIn(second.completionTokens),
    totalTokens: totalOf(first) + totalOf(second),
  };
  for (const name of details) {
    const [left, right] = [countIf(first[name]), countIf(second[name])];
    if (left !== undefined || right !== undefined) sum[name] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

/** Where no total is reported, it is at least what is. */
function totalOf({ promptTokens, completionTokens, totalTokens }: TokenUsage): number {
  return countIf(totalTokens) ?? countIn(promptTokens) + countIn(completionTokens);
}

const countIn = (value: unknown): number => countIf(value) ?? 0;

const details = ["reasoningTokens", "cachedTokens", "cacheWriteTokens"] as const satisfies (keyof TokenUsage)[];
