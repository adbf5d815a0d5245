import type { TokenUsage } from "../schema/message/agentic-message.js";

export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/** What a call of a model has used. */
export interface SpentTokens {
  readonly model: string;
  readonly usage: TokenUsage | undefined;
}

/** The sum of two calls. What neither reports stays absent. */
export function addUsage(first: TokenUsage, second: TokenUsage | undefined): TokenUsage {
  if (second === undefined) return first;
  const sum: { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] } = {
    promptTokens: (first.promptTokens ?? 0) + (second.promptTokens ?? 0),
    completionTokens: (first.completionTokens ?? 0) + (second.completionTokens ?? 0),
    totalTokens: (first.totalTokens ?? 0) + (second.totalTokens ?? 0),
  };
  for (const name of details) {
    const [left, right] = [first[name], second[name]];
    if (left !== undefined || right !== undefined) sum[name] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

const details = ["reasoningTokens", "cachedTokens", "cacheWriteTokens"] as const satisfies (keyof TokenUsage)[];
