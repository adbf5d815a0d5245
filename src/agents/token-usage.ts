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
  const sum: Record<string, number> = {};
  for (const name of fields) {
    const [left, right] = [first[name], second[name]];
    if (left !== undefined || right !== undefined) sum[name] = (left ?? 0) + (right ?? 0);
  }
  return { ...noUsage, ...sum };
}

const fields = [
  "promptTokens",
  "completionTokens",
  "totalTokens",
  "reasoningTokens",
  "cachedTokens",
  "cacheWriteTokens",
] as const satisfies (keyof TokenUsage)[];
