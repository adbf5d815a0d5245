import type { TokenUsage } from "../../schema/message/agentic-message.js";

/** The tokens of a run, under the names of Mastra and of this package. */
export interface MastraUsage extends TokenUsage {
  /** The same as `promptTokens`. */
  readonly inputTokens: number;
  /** The same as `completionTokens`. */
  readonly outputTokens: number;
  /** The same as `cachedTokens`. */
  readonly cachedInputTokens?: number | undefined;
  /** The same as `cacheWriteTokens`. */
  readonly cacheCreationInputTokens?: number | undefined;
}

export function mastraUsage(usage: TokenUsage): MastraUsage {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    ...usage,
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    ...(cachedTokens !== undefined && { cachedInputTokens: cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheCreationInputTokens: cacheWriteTokens }),
  };
}
