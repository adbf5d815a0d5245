import { checkOptions } from "../../check-options.js";
import type { AgenticModel, ModelContext } from "../../components/model.js";
import { runnable } from "../../compose/component-runnable.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "../../models/attempts.js";
import type { Model } from "../../models/model.js";
import { modelFrom } from "../../models/to-model.js";
import type { AgenticMessage, TokenUsage } from "../../schema/message/agentic-message.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { turnAround } from "../turn.js";
import { noteReported, requestSizeIn, sizeIn } from "./context-size.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link summarize}. */
export interface SummarizeOptions {
  /** The model that writes the summaries; a small one is enough. */
  readonly model: Model;
  /** The length of a request, with instructions, from which the conversation is summarised. */
  readonly atTokens: number;
  /** How many of the last turns are kept unchanged. */
  readonly keepTurns: number;
}

/**
 * Replaces the beginning of a long conversation with a summary in what the model sees. There is one summary at a time, the first
 * message, with `extra.summary`; it is kept with the thread. What has less than a quarter of `atTokens` is not summarised, and the
 * newest prompt never. The log stays complete. If a summary fails, the event `summary_failed` says so, and the conversation is not
 * changed.
 *
 * @example
 * const agent = createAgent({
 *   model,
 *   middleware: [summarize({ model, atTokens: 60_000, keepTurns: 2 })],
 * });
 */
export function summarize(options: SummarizeOptions): Middleware {
  checkOptions("summarize", options, ["model", "atTokens", "keepTurns"]);
  const { atTokens, keepTurns } = options;
  requireCount("summarize", { atTokens, keepTurns });
  const model = modelFrom(options.model, "summarize");
  const writer = runnable<readonly AgenticMessage[], AgenticMessage>(counted(model), { name: "summary" });
  return createMiddleware({
    name: "summarize",
    async beforeStep(run) {
      const requestSize = requestSizeIn(run);
      if ((await requestSize(run.view)) <= atTokens) return undefined;
      const { summarized } = await import("./summary.js");
      return summarized(run, { writer, atTokens, keepTurns, size: sizeIn(run), requestSize });
    },
    afterModel: noteReported,
  });
}

/** A model whose calls count for the turn that they are made in; one that is remembered is not made again. */
function counted(model: AgenticModel): AgenticModel {
  return countedModel(model, (ctx, name, usage) => turnAround(ctx)?.count(name, usage));
}

/** Tells what each whole answer of a model has used. Streams are passed on as they are. */
export function countedModel(
  model: AgenticModel,
  note: (ctx: ModelContext, model: string, usage: TokenUsage | undefined) => void,
): RepeatingModel {
  return {
    component: "model",
    type: model.type,
    [repeatsOthers]: isRepeating(model),
    generate: async (messages, ctx) => {
      const answer = await model.generate(messages, ctx);
      const { model: name = model.type ?? "unknown", tokenUsage } = answer.responseMeta ?? {};
      note(ctx, name, tokenUsage);
      return answer;
    },
    stream: (messages, ctx) => model.stream(messages, ctx),
  };
}
