import { checkOptions } from "../../check-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { modelName } from "../../tools/node/model-name.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";
import { cutTo, noteReported, requestSizeIn, sizeIn, viewKept } from "./context-size.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link clearToolResults}. */
export interface ClearToolResultsOptions {
  /** The length of a request, with instructions, from which results are cleared. */
  readonly atTokens: number;
  /** How many of the last steps keep their results. @default 3 */
  readonly keepRounds?: number | undefined;
  /** Tools whose results are kept. */
  readonly exclude?: readonly string[] | undefined;
}

const cleared = "[This result was cleared to save space. Call the tool again if you need it.]";

/**
 * Removes old tool results from what the model sees, the oldest first, until it is at three quarters of the limit; that is kept with
 * the thread. The log stays complete.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], middleware: [clearToolResults({ atTokens: 80_000, exclude: ["read_plan"] })] });
 */
export function clearToolResults(options: ClearToolResultsOptions): Middleware {
  checkOptions("clearToolResults", options, ["atTokens", "keepRounds", "exclude"]);
  const { atTokens, keepRounds = 3, exclude = [] } = options;
  requireCount("clearToolResults", { atTokens, keepRounds });
  if (!Array.isArray(exclude) || exclude.some((name) => typeof name !== "string"))
    throw invalidAgentOption("exclude of clearToolResults must be a list of names of tools.");
  const excluded = [...exclude, ...exclude.map(modelName)];
  return createMiddleware({
    name: "clearToolResults",
    async beforeStep(run) {
      const { view } = run;
      const size = sizeIn(run);
      let tokens = await requestSizeIn(run)(view);
      if (tokens <= atTokens) return undefined;
      const { turnsIn } = await import("./conversation.js");
      const rounds = turnsIn(view).flatMap((turn) => turn.rounds.filter((round) => round.length > 1));
      const kept = new Set(rounds.slice(-keepRounds).flat());
      const messages = [...view];
      for (const [index, message] of view.entries()) {
        if (tokens <= cutTo * atTokens) break;
        const shorter = kept.has(message) ? message : withoutResults(message, excluded);
        if (shorter === message) continue;
        messages[index] = shorter;
        tokens -= (await size([message])) - (await size([shorter]));
      }
      return messages.every((message, index) => message === view[index]) ? undefined : viewKept(messages);
    },
    afterModel: noteReported,
  });
}

function withoutResults(message: AgenticMessage, exclude: readonly string[]): AgenticMessage {
  const contentBlocks = message.contentBlocks.map((block) => {
    if (block.type !== "function_tool_result" || exclude.includes(block.name) || block.result === cleared) return block;
    const { callId, name } = block;
    return { type: block.type, callId, name, result: cleared };
  });
  const isSame = contentBlocks.every((block, index) => block === message.contentBlocks[index]);
  return isSame ? message : { ...message, contentBlocks };
}
