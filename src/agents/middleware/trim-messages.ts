import { checkOptions } from "../../check-options.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";
import { cutTo, noteReported, requestSizeIn, sizeIn, viewKept } from "./context-size.js";

/** Options of {@link trimMessages}. */
export interface TrimMessagesOptions {
  /** The maximum length of a request, as the agent counts tokens: of its instructions and the conversation. */
  readonly maxTokens: number;
  /** How many turns are kept as long as the limit allows it. @default 1 */
  readonly keepTurns?: number | undefined;
}

/**
 * Removes the oldest turns, then the oldest steps, from what the model sees, so that no request is longer than the limit. A cut goes to
 * three quarters of it, and is kept with the thread: until the next one, each request begins with the one before. If the newest prompt
 * and the last step alone are too long, an event `context_overflow` says so. The log stays complete. Middlewares that add instructions
 * stand before it, so that they are counted.
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
    async beforeStep(run) {
      const { view } = run;
      const size = sizeIn(run);
      const requestSize = requestSizeIn(run);
      let tokens = await requestSize(view);
      if (tokens <= maxTokens) return undefined;
      const { Cutting } = await import("./conversation.js");
      const cutting = new Cutting(view, keepTurns);
      while (cutting.nextRank !== undefined && tokens > (cutting.isAtKeptTurns ? 1 : cutTo) * maxTokens) {
        tokens -= await size(cutting.cut());
      }
      // what `countTokens` says of parts need not add up
      tokens = await requestSize(cutting.rest);
      while (cutting.nextRank !== undefined && tokens > maxTokens) {
        cutting.cut();
        tokens = await requestSize(cutting.rest);
      }
      if (tokens > maxTokens) run.ctx.progress({ kind: "context_overflow", tokens, maxTokens });
      return cutting.gone.length === 0 ? undefined : viewKept(cutting.rest);
    },
    afterModel: noteReported,
  });
}

/** Throws for what is not a whole number of at least 1. */
export function requireCount(where: string, options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === "number" && Number.isInteger(value) && value >= 1) continue;
    throw invalidAgentOption(`${name} of ${where} must be a whole number of at least 1 (got ${String(value)}).`);
  }
}
