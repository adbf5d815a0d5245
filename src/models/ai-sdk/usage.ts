import { type Fields, isFields } from "../../is.js";
import type { TokenUsage } from "../../schema/message/agentic-message.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { countIf } from "../count-if.js";

type Count = number | undefined;

interface Counts {
  readonly prompt: Count;
  readonly completion: Count;
  readonly total: Count;
  readonly reasoning: Count;
  readonly cached: Count;
  readonly cacheWrite: Count;
}

/**
 * Converts the token usage of a response. In V2, some packages exclude cached tokens from the prompt, and some services exclude
 * reasoning from the completion; both are added. Returns `undefined` if nothing is reported.
 */
export function usageOf(usage: unknown, providerMetadata: unknown): TokenUsage | undefined {
  if (!isFields(usage)) return undefined;
  const isNested = isFields(usage.inputTokens) || isFields(usage.outputTokens);
  const counts = isNested ? nestedCounts(usage) : flatCounts(usage, providerMetadata);
  const completion = withReasoning(counts);
  const { prompt, total, reasoning, cached, cacheWrite } = counts;
  const sum = prompt === undefined || completion === undefined ? total : prompt + completion;
  if ((prompt ?? completion ?? sum ?? reasoning ?? cached ?? cacheWrite) === undefined) return undefined;
  return withoutUndefined({
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: sum,
    reasoningTokens: reasoning,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
  }) as TokenUsage;
}

/** V3 and V4. */
function nestedCounts({ inputTokens, outputTokens }: Fields): Counts {
  const input = isFields(inputTokens) ? inputTokens : {};
  const output = isFields(outputTokens) ? outputTokens : {};
  return {
    prompt: countIf(input.total),
    completion: countIf(output.total),
    total: undefined,
    reasoning: countIf(output.reasoning),
    cached: countIf(input.cacheRead),
    cacheWrite: countIf(input.cacheWrite),
  };
}

function flatCounts(usage: Fields, providerMetadata: unknown): Counts {
  const cached = countIf(usage.cachedInputTokens);
  const anthropic = isFields(providerMetadata) ? providerMetadata.anthropic : undefined;
  const cacheWrite = isFields(anthropic) ? countIf(anthropic.cacheCreationInputTokens) : undefined;
  const prompt = countIf(usage.inputTokens);
  const leavesCacheOut = isFields(anthropic) && prompt !== undefined;
  return {
    prompt: leavesCacheOut ? prompt + (cached ?? 0) + (cacheWrite ?? 0) : prompt,
    completion: countIf(usage.outputTokens),
    total: countIf(usage.totalTokens),
    reasoning: countIf(usage.reasoningTokens),
    cached,
    cacheWrite,
  };
}

/**
 * Adds reasoning to the completion if the service excluded it: reasoning is larger than the completion, or the total leaves room
 * for all three.
 */
function withReasoning({ prompt, completion, reasoning, total }: Counts): Count {
  if (completion === undefined || reasoning === undefined) return completion;
  const whole = completion + reasoning;
  const fitsTotal = prompt !== undefined && total !== undefined && prompt + whole <= total;
  return reasoning > completion || fitsTotal ? whole : completion;
}
