import { checkOptions } from "../../check-options.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";
import { messagesIn, type TalkTurn, tokensIn, tokensOf, turnsIn } from "./conversation.js";

/** Options of {@link trimMessages}. */
export interface TrimMessagesOptions {
  /** The maximum length of the conversation. */
  readonly maxTokens: number;
  /** How many turns are kept; only their oldest steps may be removed, as a last resort. @default 1 */
  readonly keepTurns?: number | undefined;
}

/**
 * Removes the oldest turns, and then the oldest steps, from what the model sees. The log stays complete.
 *
 * @example
 * const agent = createAgent({ model, middleware: [trimMessages({ maxTokens: 50_000 })] });
 */
export function trimMessages(options: TrimMessagesOptions): Middleware {
  checkOptions("trimMessages", options, ["maxTokens", "keepTurns"]);
  const { maxTokens, keepTurns = 1 } = options;
  requireCount("trimMessages", { maxTokens, keepTurns });
  return createMiddleware({
    name: "trimMessages",
    beforeStep({ view }) {
      const surplus = tokensIn(view) - maxTokens;
      if (surplus <= 0) return undefined;
      const messages = messagesIn(trimmed(turnsIn(view), surplus, keepTurns));
      return messages.length === view.length ? undefined : { messages };
    },
  });
}

function trimmed(turns: readonly TalkTurn[], surplus: number, keepTurns: number): readonly TalkTurn[] {
  let left = surplus;
  let kept = turns;
  while (left > 0 && kept.length > Math.max(1, keepTurns)) {
    left -= tokensOf(messagesIn(kept.slice(0, 1)));
    kept = kept.slice(1);
  }
  return kept.map((turn) => {
    let { rounds } = turn;
    while (left > 0 && rounds.length > 1) {
      left -= tokensOf(rounds[0] ?? []);
      rounds = rounds.slice(1);
    }
    return { ...turn, rounds };
  });
}

/** Throws for what is not a whole number of at least 1. */
export function requireCount(where: string, options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === "number" && Number.isInteger(value) && value >= 1) continue;
    throw invalidAgentOption(`${name} of ${where} must be a whole number of at least 1 (got ${String(value)}).`);
  }
}
