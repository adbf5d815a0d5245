import { isFields } from "../../is.js";
import type { TokenUsage } from "../../schema/message/agentic-message.js";

/** Tokens by model. */
export type UsageByModel = Readonly<Record<string, TokenUsage>>;

/** What of a value is usage by model; everything else is left out. */
export function usageIn(given: unknown): UsageByModel {
  const usage: Record<string, TokenUsage> = {};
  if (isFields(given)) addUsage(usage, given as UsageByModel);
  return usage;
}

/** Adds usage to a sum. */
export function addUsage(sum: Record<string, TokenUsage>, more: UsageByModel | undefined): void {
  for (const [model, usage] of Object.entries(more ?? {})) {
    const known: Record<string, number | undefined> = { ...sum[model] };
    for (const [name, count] of Object.entries(usage ?? {})) {
      if (typeof count === "number" && Number.isFinite(count)) known[name] = (known[name] ?? 0) + count;
    }
    sum[model] = { promptTokens: 0, completionTokens: 0, totalTokens: 0, ...known };
  }
}
