import type { ReplaceResult } from "../tools/node/node-settings.js";
import type { AgentParts } from "./agent-parts.js";

/** Where a middleware has what replaces long results of tools in the log. Unlike `wrapToolCall`, it lets streams pass. */
export const resultReplacer: unique symbol = Symbol("result replacer");

/** What replaces results of an agent's tools. A result that is returned directly is the answer, and stays whole. */
export function replacerOf({ middleware, options }: AgentParts): ReplaceResult | undefined {
  const found = middleware.find((one) => resultReplacer in one);
  if (found === undefined) return undefined;
  const replace = (found as { readonly [resultReplacer]?: ReplaceResult })[resultReplacer];
  const { returnDirectly = [] } = options;
  return (ctx, result) => (returnDirectly.includes(ctx.toolName) ? undefined : replace?.(ctx, result));
}
