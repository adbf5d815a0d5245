import { checkOptions } from "../../check-options.js";
import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import type { AgenticModel, ModelContext } from "../../components/model.js";
import { runnable } from "../../compose/component-runnable.js";
import type { Runnable } from "../../compose/runnable.js";
import { messageOf } from "../../errors.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "../../models/attempts.js";
import type { Model } from "../../models/model.js";
import { modelFrom } from "../../models/to-model.js";
import type { AgenticMessage, TokenUsage } from "../../schema/message/agentic-message.js";
import { userMessage } from "../../schema/message/construct-message.js";
import { textOf } from "../../schema/message/read-message.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { turnAround } from "../turn.js";
import { messagesIn, type TalkTurn, tokensIn, turnsIn } from "./conversation.js";
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

/** The summary that replaces the beginning of a conversation for the model. It is kept with the thread. @internal */
interface Summary {
  readonly messages: readonly AgenticMessage[];
  /** How many messages of the log it stands for. */
  readonly covers: number;
}

const task =
  "Summarise the conversation above for a reader who will continue it: what was asked, decided, found out and done, with names, numbers and identifiers, and what is still open. Answer with the summary only.";

/**
 * Replaces the beginning of a long conversation with a summary in what the model sees. The log stays complete. If a summary
 * fails, that is reported as an event, and the conversation is not changed.
 *
 * @example
 * const agent = createAgent({
 *   model,
 *   middleware: [summarize({ model, atTokens: 60_000, keepTurns: 2 })],
 * });
 */
export function summarize(options: SummarizeOptions): Middleware<{ summary?: Summary }> {
  checkOptions("summarize", options, ["model", "atTokens", "keepTurns"]);
  const { atTokens, keepTurns } = options;
  requireCount("summarize", { atTokens, keepTurns });
  const model = modelFrom(options.model, "summarize");
  const asked = runnable<readonly AgenticMessage[], AgenticMessage>(counted(model), { name: "summary" });
  return createMiddleware<{ summary?: Summary }>({
    name: "summarize",
    scope: "thread",
    state: () => ({}),
    async beforeStep(run) {
      const { summary } = run.state;
      const isFresh = run.view.length === run.messages.length;
      const known = isFresh && summary !== undefined && summary.covers <= run.messages.length;
      const view = known ? [...summary.messages, ...run.messages.slice(summary.covers)] : run.view;
      const unchanged = known ? { messages: view } : undefined;
      if (tokensIn(view) <= atTokens) return unchanged;
      const { older, newer } = split(turnsIn(view), keepTurns);
      if (older.length === 0) return unchanged;
      const text = await summaryOf(asked, older, run.ctx);
      if (text === undefined) return unchanged;
      const first = userMessage(`This is what the conversation was about so far:\n\n${text}`);
      const messages = [first, ...newer];
      run.state.summary = { messages, covers: run.messages.length };
      return { messages };
    },
  });
}

/** The messages to summarize, and those that stay. In one long turn, the prompt and its last rounds stay. */
function split(
  turns: readonly TalkTurn[],
  keepTurns: number,
): { readonly older: readonly AgenticMessage[]; readonly newer: readonly AgenticMessage[] } {
  if (turns.length > keepTurns) {
    return { older: messagesIn(turns.slice(0, -keepTurns)), newer: messagesIn(turns.slice(-keepTurns)) };
  }
  const [last] = turns.slice(-1);
  const before = turns.slice(0, -1);
  if (last === undefined || last.rounds.length < 3) return { older: [], newer: messagesIn(turns) };
  const older = messagesIn([...before, { ...last, rounds: last.rounds.slice(0, -2) }]);
  return { older, newer: [...last.prompt, ...last.rounds.slice(-2).flat()] };
}

/** A model whose calls count for the turn that they are made in; one that is remembered is not made again. */
function counted(model: AgenticModel): AgenticModel {
  return countedModel(model, (ctx, name, usage) => turnAround(ctx)?.count(name, usage));
}

async function summaryOf(
  model: Runnable<readonly AgenticMessage[], AgenticMessage>,
  older: readonly AgenticMessage[],
  ctx: NodeContext,
): Promise<string | undefined> {
  try {
    const answer = await model.invoke([...older, userMessage(task)], { parent: ctx, key: "summary" });
    const text = textOf(answer);
    return text === "" ? undefined : text;
  } catch (error) {
    if (causedByInterrupt(error) || ctx.signal.aborted) throw error;
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
