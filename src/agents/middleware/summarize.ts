import { checkOptions } from "../../check-options.js";
import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import type { AgenticModel, ModelContext } from "../../components/model.js";
import { runnable } from "../../compose/component-runnable.js";
import type { Runnable } from "../../compose/runnable.js";
import { endsRun, messageOf } from "../../errors.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "../../models/attempts.js";
import type { Model } from "../../models/model.js";
import { modelFrom } from "../../models/to-model.js";
import type { AgenticMessage, TokenUsage } from "../../schema/message/agentic-message.js";
import { userMessage } from "../../schema/message/construct-message.js";
import { textOf } from "../../schema/message/read-message.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { turnAround } from "../turn.js";
import { cutTo, noteReported, sizeIn, viewKept } from "./context-size.js";
import { Cutting } from "./conversation.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link summarize}. */
export interface SummarizeOptions {
  /** The model that writes the summaries; a small one is enough. */
  readonly model: Model;
  /** The length from which the conversation is summarised. */
  readonly atTokens: number;
  /** How many of the last turns are kept unchanged. */
  readonly keepTurns: number;
}

const task =
  "Summarise the conversation above for a reader who will continue it: what was asked, decided, found out and done, with names, numbers and identifiers, and what is still open. Answer with the summary only.";

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
      const { view } = run;
      const size = sizeIn(run);
      if ((await size(view)) <= atTokens) return undefined;
      const [first, ...others] = view;
      const earlier = first !== undefined && isSummary(first) ? first : undefined;
      const cutting = new Cutting(earlier === undefined ? view : others, keepTurns);
      cutting.cutOldTurns();
      if ((await size(cutting.rest)) > atTokens) await cutDown(cutting, size, atTokens / 2);
      if ((await size(cutting.gone)) < atTokens / 4) return undefined;
      const { gone } = cutting;
      let summary = await summaryOf(writer, earlier, gone, { ctx: run.ctx, key: "summary" });
      if (summary === undefined) return undefined;
      if ((await size([summary, ...cutting.rest])) > atTokens && cutting.nextRank !== undefined) {
        // the summary needs more room than the kept turns leave
        await cutDown(cutting, size, Math.max(0, cutTo * atTokens - (await size([summary]))));
        const more = cutting.gone.filter((message) => !gone.includes(message));
        summary = await summaryOf(writer, summary, more, { ctx: run.ctx, key: "summary_2" });
        if (summary === undefined) return undefined;
      }
      const messages = [summary, ...cutting.rest];
      const tokens = await size(messages);
      if (tokens <= atTokens) return viewKept(messages);
      if ((await size(cutting.rest)) <= atTokens) {
        run.ctx.progress({ kind: "summary_failed", message: `The summary has ${await size([summary])} tokens.` });
        return undefined;
      }
      run.ctx.progress({ kind: "context_overflow", tokens, maxTokens: atTokens });
      return viewKept(messages);
    },
    afterModel: noteReported,
  });
}

type Size = (messages: readonly AgenticMessage[]) => Promise<number>;

async function cutDown(cutting: Cutting, size: Size, target: number): Promise<void> {
  let tokens = await size(cutting.rest);
  while (cutting.nextRank !== undefined && tokens > target) tokens -= await size(cutting.cut());
}

function isSummary({ extra }: AgenticMessage): boolean {
  return extra?.summary === true;
}

/** A model whose calls count for the turn that they are made in; one that is remembered is not made again. */
function counted(model: AgenticModel): AgenticModel {
  return countedModel(model, (ctx, name, usage) => turnAround(ctx)?.count(name, usage));
}

/** The message with the summary of an earlier one and what came since; `undefined` if that failed. */
async function summaryOf(
  writer: Runnable<readonly AgenticMessage[], AgenticMessage>,
  earlier: AgenticMessage | undefined,
  covered: readonly AgenticMessage[],
  call: { readonly ctx: NodeContext; readonly key: string },
): Promise<AgenticMessage | undefined> {
  const { ctx, key } = call;
  const before = earlier === undefined ? [] : [earlier];
  try {
    const answer = await writer.invoke([...before, ...covered, userMessage(task)], { parent: ctx, key });
    const text = textOf(answer);
    if (text === "") throw new Error("The summary is empty.");
    return userMessage(`This is what the conversation was about so far:\n\n${text}`, { extra: { summary: true } });
  } catch (error) {
    if (causedByInterrupt(error) || endsRun(error) || ctx.signal.aborted) throw error;
    ctx.progress({ kind: "summary_failed", message: messageOf(error) });
    return undefined;
  }
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
