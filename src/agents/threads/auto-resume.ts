import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import type { AgenticModel } from "../../components/model.js";
import { Chain } from "../../compose/chain.js";
import type { Answers, RunOptions } from "../../compose/options.js";
import { isFields } from "../../is.js";
import { structured } from "../../models/structured.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { systemMessage } from "../../schema/message/construct-message.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { type AgentRun, askOption } from "../agent-context.js";
import type { AgentParts } from "../agent-parts.js";
import { noUsage, type SpentTokens } from "../agent-state.js";
import type { AgentCallOptions } from "../call-options.js";
import { wrongFunctionResult } from "../errors.js";
import type { Verdicts } from "../guards/guard.js";
import { isToolSuspended } from "../interrupt-kinds.js";
import { countedModel } from "../middleware/summarize.js";
import { patientModelOf } from "../model-chain.js";
import { isHidden } from "../said-before.js";

/** A turn that waits, and what the user has written meanwhile. */
export interface WaitingTurn {
  /** The agent that is called, and the one whose tools wait. */
  readonly root: AgentParts;
  readonly parts: AgentParts;
  readonly threadId: string;
  readonly interrupts: readonly Interrupt[];
  /** The new messages. */
  readonly messages: readonly AgenticMessage[];
  /** The conversation before them. */
  readonly history: readonly AgenticMessage[];
  readonly options: AgentCallOptions;
  /** What guards say of the messages. */
  readonly verdicts: Verdicts;
}

export interface ReadAnswers {
  /** `undefined` when there is none. */
  readonly answers: Answers | undefined;
  /** The tokens that reading them has used. */
  readonly spent: readonly SpentTokens[];
}

/** Reads answers to suspended tools out of what the user has written. A model never answers an approval. */
export async function suspendedAnswers(turn: WaitingTurn): Promise<ReadAnswers> {
  const spent: SpentTokens[] = [];
  const suspended = turn.interrupts.filter(isToolSuspended).filter(({ schema }) => schema !== undefined);
  if (suspended.length === 0 || turn.messages.length === 0) return { answers: undefined, spent };
  const entries = suspended.map(({ schema }, index) => [`question_${index + 1}`, schema] as const);
  const questions = suspended.map(
    ({ info }, index) => `question_${index + 1}: tool "${info.toolName}" asks ${JSON.stringify(info.payload ?? null)}`,
  );
  const task = `Tools wait for answers. Give those that the user's message holds, and leave out the others.\n${questions.join("\n")}`;
  const schema = { type: "object", properties: Object.fromEntries(entries), additionalProperties: false };
  const { callbacks, runtime } = turn.parts.options;
  const reading = new Chain<readonly AgenticMessage[]>()
    .append(async (asked: readonly AgenticMessage[], ctx: NodeContext): Promise<unknown> => {
      const messages = await judged(turn, asked, ctx);
      if (messages === undefined) return undefined;
      const model = countedModel(await modelOf(turn, ctx), (_ctx, name, usage) => spent.push({ model: name, usage }));
      return structured(model, schema).invoke([systemMessage(task), ...messages], { parent: ctx });
    })
    .compile({ name: "suspended_answers", callbacks, runtime });
  const { requestContext, signal, callbacks: watchers } = turn.options;
  const run = withoutUndefined<RunOptions>({ requestContext, signal, callbacks: watchers });
  const found = await reading.invoke(turn.messages, run);
  if (!isFields(found)) return { answers: undefined, spent };
  const answers = suspended.flatMap(({ id }, index): [string, unknown][] => {
    const answer = found[`question_${index + 1}`];
    return answer === undefined ? [] : [[id, answer]];
  });
  return { answers: answers.length === 0 ? undefined : Object.fromEntries(answers), spent };
}

/** What the guards of the agents let through of what the user says; `undefined` if they block it. */
async function judged(
  { root, parts, threadId, options, history, verdicts }: WaitingTurn,
  messages: readonly AgenticMessage[],
  ctx: NodeContext,
): Promise<readonly AgenticMessage[] | undefined> {
  const guards = [...new Set([...root.guards, ...parts.guards])];
  if (guards.length === 0) return messages;
  const { judgedMessages } = await import("../guards/judge-input.js");
  const all = [...history, ...messages];
  const run: AgentRun = {
    agent: parts.name,
    requestContext: ctx.requestContext,
    threadId,
    userId: options.userId,
    signal: ctx.signal,
    ctx,
    messages: all,
    view: all.filter((message) => !isHidden(message)),
    steps: [],
    usage: noUsage,
    state: undefined,
  };
  return judgedMessages(guards, messages, { run, verdicts });
}

/** The agent's model, with all its patience. */
async function modelOf(turn: WaitingTurn, ctx: NodeContext): Promise<AgenticModel> {
  const { parts, threadId, history, messages } = turn;
  const { model } = parts.options;
  const where = `createAgent("${parts.name}")`;
  if (typeof model !== "function") return patientModelOf(model, parts, where);
  const context = {
    agent: parts.name,
    threadId,
    messages: [...history, ...messages],
    requestContext: ctx.requestContext,
    signal: ctx.signal,
  };
  const given = await askOption(parts.name, "model", ctx.signal, () => model(context));
  try {
    return patientModelOf(given, parts, where);
  } catch (cause) {
    throw wrongFunctionResult("model", cause);
  }
}
