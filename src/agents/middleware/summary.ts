import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import type { Runnable } from "../../compose/runnable.js";
import { endsRun, messageOf } from "../../errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { userMessage } from "../../schema/message/construct-message.js";
import { textOf } from "../../schema/message/read-message.js";
import type { AgentRun } from "../agent-context.js";
import type { StepChanges } from "../create-middleware.js";
import { cutTo, viewKept } from "./context-size.js";
import { Cutting } from "./conversation.js";

const task =
  "Summarise the conversation above for a reader who will continue it: what was asked, decided, found out and done, with names, numbers and identifiers, and what is still open. Answer with the summary only.";

type Size = (messages: readonly AgenticMessage[]) => Promise<number>;

interface Summarizing {
  readonly writer: Runnable<readonly AgenticMessage[], AgenticMessage>;
  readonly atTokens: number;
  readonly keepTurns: number;
  readonly size: Size;
  /** With the instructions, which every request has too. */
  readonly requestSize: Size;
}

/** What the model sees of a conversation that is too long; `undefined` if that stays as it is. */
export async function summarized(
  run: Pick<AgentRun, "ctx" | "view">,
  { writer, atTokens, keepTurns, size, requestSize }: Summarizing,
): Promise<StepChanges | undefined> {
  const { view } = run;
  const [first, ...others] = view;
  const earlier = first !== undefined && isSummary(first) ? first : undefined;
  const cutting = new Cutting(earlier === undefined ? view : others, keepTurns);
  cutting.cutOldTurns();
  if ((await requestSize(cutting.rest)) > atTokens) await cutDown(cutting, { size, requestSize }, atTokens / 2);
  if ((await size(cutting.gone)) < atTokens / 4) return undefined;
  const { gone } = cutting;
  let summary = await summaryOf(writer, earlier, gone, { ctx: run.ctx, key: "summary" });
  if (summary === undefined) return undefined;
  if ((await requestSize([summary, ...cutting.rest])) > atTokens && cutting.nextRank !== undefined) {
    // the summary needs more room than the kept turns leave
    await cutDown(cutting, { size, requestSize }, Math.max(0, cutTo * atTokens - (await size([summary]))));
    const more = cutting.gone.filter((message) => !gone.includes(message));
    summary = await summaryOf(writer, summary, more, { ctx: run.ctx, key: "summary_2" });
    if (summary === undefined) return undefined;
  }
  const messages = [summary, ...cutting.rest];
  const tokens = await requestSize(messages);
  if (tokens <= atTokens) return viewKept(messages);
  if ((await requestSize(cutting.rest)) <= atTokens) {
    run.ctx.progress({ kind: "summary_failed", message: `The summary has ${await size([summary])} tokens.` });
    return undefined;
  }
  run.ctx.progress({ kind: "context_overflow", tokens, maxTokens: atTokens });
  return viewKept(messages);
}

async function cutDown(
  cutting: Cutting,
  { size, requestSize }: Pick<Summarizing, "size" | "requestSize">,
  target: number,
): Promise<void> {
  let tokens = await requestSize(cutting.rest);
  while (cutting.nextRank !== undefined && tokens > target) tokens -= await size(cutting.cut());
}

function isSummary({ extra }: AgenticMessage): boolean {
  return extra?.summary === true;
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
