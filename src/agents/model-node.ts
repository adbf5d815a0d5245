import type { NodeContext } from "../components/context.js";
import { Context } from "../run/context.js";
import { type AgenticMessage, areMessages } from "../schema/message/agentic-message.js";
import { assistantMessage } from "../schema/message/construct-message.js";
import { hasToolCalls, textOf, toolCallsOf } from "../schema/message/read-message.js";
import { withCallIds } from "../tools/node/call-ids.js";
import type { AgentParts } from "./agent-parts.js";
import type { EndReason } from "./agent-result.js";
import { type AgentState, enterNode, leaveNode, noUsage } from "./agent-state.js";
import { tellWhole } from "./chunk-events.js";
import type { ModelChanges } from "./create-middleware.js";
import { needsStore, noMessages, notMessages, tooManySteps, twoSystems } from "./errors.js";
import { afterAgent, afterModel, afterStep, beforeAgent, wrapModelCall } from "./hooks.js";
import { answerOf, asksApproval, type Called, isPaused, keptOf, modelNameOf } from "./model-answer.js";
import type { ModelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import { openUser } from "./open-user.js";
import { notExecuted, tellResults } from "./own-calls.js";
import { mayWaitLater, readyAgent } from "./ready-agent.js";
import { asUnjudged } from "./said-before.js";
import { prepareStep, requestOf } from "./step-request.js";
import { endAfterRound } from "./stop-conditions.js";
import { AskedModel, tellAnswer } from "./streamed-answer.js";
import type { OutputRule, Verdict } from "./structured-output.js";
import type { Toolbox } from "./toolbox.js";
import {
  type CallKind,
  isSavedRun,
  type OngoingTurn,
  type PreparedStep,
  type ReadyAgent,
  type TurnPushes,
  turnOf,
} from "./turn.js";

/** The node `model`: one accepted answer, or the end of the turn. Promises are made only where something is awaited. */
export function runModelNode(root: AgentParts, input: unknown, ctx: NodeContext<AgentState>): Promise<AgenticMessage> {
  const turn = turnOf(root, ctx);
  const { state } = turn;
  if (state.phase === "start" && state.entry === undefined) state.log = messagesIn(turn, input);
  if (state.entry !== undefined) turn.inOrder = 0;
  enterNode(state);
  if (turn.waitsForUser) return openUser(turn, ctx).then(() => beginAnswer(turn, ctx));
  return beginAnswer(turn, ctx);
}

function beginAnswer(turn: OngoingTurn, ctx: NodeContext<AgentState>): Promise<AgenticMessage> {
  return turn.guards.length === 0 ? nextAnswer(turn, ctx) : guardedAnswer(turn, ctx);
}

/** Guards judge what the user says before anything else sees it. */
async function guardedAnswer(turn: OngoingTurn, ctx: NodeContext<AgentState>): Promise<AgenticMessage> {
  const blocked = await judgedInput(turn, ctx);
  return blocked === undefined ? nextAnswer(turn, ctx) : endBlocked(turn, blocked, ctx);
}

async function judgedInput(turn: OngoingTurn, ctx: NodeContext): Promise<AgenticMessage | undefined> {
  const { judgeInput } = await import("./guards/judge-input.js");
  return judgeInput(turn, ctx);
}

function endBlocked(turn: OngoingTurn, answer: AgenticMessage, ctx: NodeContext): Promise<AgenticMessage> {
  setEnd(turn.state, "content_filter", textOf(answer));
  return endTurn(turn, ctx);
}

function nextAnswer(turn: OngoingTurn, ctx: NodeContext<AgentState>): Promise<AgenticMessage> {
  const { state } = turn;
  turn.answers = { asked: 0, wrapped: 0, known: state.kept?.wrapped.length ?? 0, count: 0 };
  const ready = readyAgent(turn, ctx);
  if (ready instanceof Promise) return ready.then((resolved) => checkedAnswer(turn, resolved, ctx));
  return checkedAnswer(turn, ready, ctx);
}

/** The graph can be run without the agent that made it, and by JavaScript. */
function messagesIn({ history }: OngoingTurn, input: unknown): AgenticMessage[] {
  if (!areMessages(input)) throw notMessages(input);
  if (input.length === 0 && history.length === 0) throw noMessages("The graph of an agent");
  return [...input];
}

function checkedAnswer(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): Promise<AgenticMessage> {
  const { state } = turn;
  checkCanWait(turn, ready, ctx);
  checkSystems(turn, ready);
  const mayEnd = state.phase === "round" && mayEndAfterRound(turn);
  const beginning = state.begun ? undefined : beforeAgent(turn, ctx);
  if (mayEnd || beginning !== undefined) return laterAnswer(turn, ready, beginning, ctx);
  state.begun = true;
  return answerOrEnd(turn, ready, ctx);
}

/** Where something comes before the answer, which may also end the turn. */
async function laterAnswer(
  turn: OngoingTurn,
  ready: ReadyAgent,
  beginning: Promise<void> | undefined,
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const { state } = turn;
  if (beginning !== undefined) await beginning;
  state.begun = true;
  if (state.phase === "round" && mayEndAfterRound(turn)) {
    const end = await endAfterRound(turn, returningOf(turn), ctx);
    if (end !== undefined) {
      setEnd(state, end.reason, end.text);
      return endTurn(turn, ctx);
    }
  }
  return answerOrEnd(turn, ready, ctx);
}

function answerOrEnd(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): Promise<AgenticMessage> {
  const { pushes } = turn.asked;
  return pushes === undefined ? answerNow(turn, ready, ctx) : answerToPushed(turn, pushes, ready, ctx);
}

/** The model is asked with all that was said to the turn so far. */
async function answerToPushed(
  turn: OngoingTurn,
  pushes: TurnPushes,
  ready: ReadyAgent,
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const isTaken = await takePushed(turn, pushes);
  const blocked = isTaken && turn.guards.length > 0 ? await judgedInput(turn, ctx) : undefined;
  return blocked === undefined ? answerNow(turn, ready, ctx) : endBlocked(turn, blocked, ctx);
}

/** An answer that is known had seen what it had seen. */
async function takePushed(turn: OngoingTurn, pushes: TurnPushes): Promise<boolean> {
  const { state } = turn;
  const { taken = 0, kept } = state;
  const isReplayed = kept !== undefined && kept.asked.length + kept.wrapped.length > 0;
  const all = await pushes.since(taken);
  const fresh = isReplayed ? all.slice(0, Math.max(0, (kept.taken ?? 0) - taken)) : all;
  if (fresh.length > 0) {
    state.log.push(...fresh);
    state.taken = taken + fresh.length;
    if (!isReplayed) turn.emit({ type: "pushed", messages: fresh });
  }
  if (turn.isKept && state.taken !== undefined) keptOf(state).taken = state.taken;
  return fresh.length > 0;
}

/** A turn that is blocked logs what was said to it, and nobody answers. */
async function logPushed(turn: OngoingTurn, pushes: TurnPushes): Promise<void> {
  const { state } = turn;
  const { taken = 0 } = state;
  const messages = await pushes.since(taken);
  const isJudged = turn.guards.some(({ input }) => input !== undefined);
  state.log.push(...(isJudged ? messages.map(asUnjudged) : messages));
  state.taken = taken + messages.length;
  turn.emit({ type: "pushed", messages });
}

function answerNow(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): Promise<AgenticMessage> {
  const { state, root } = turn;
  const kind = state.steps.length >= turn.maxSteps ? "last" : "step";
  if (kind === "last" && root.onMaxSteps !== "answer") {
    if (root.onMaxSteps === "throw") throw tooManySteps(root.name, turn.maxSteps);
    setEnd(state, "max_steps", textOf(state.steps.at(-1)?.message ?? assistantMessage("")));
    return endTurn(turn, ctx);
  }
  state.phase = "model";
  return answerStep(turn, ready, kind, ctx);
}

/** Throws if something can make the run wait and no store could keep it meanwhile. */
function checkCanWait({ root, state }: OngoingTurn, { toolbox }: ReadyAgent, ctx: NodeContext): void {
  const waits = toolbox.mayWait ?? (state.begun ? undefined : mayWaitLater(root));
  if (waits !== undefined && ctx instanceof Context && !isSavedRun(ctx)) throw needsStore(waits);
}

function checkSystems({ state, root }: OngoingTurn, ready: ReadyAgent): void {
  if (ready.parts !== root || ready.instructions.length === 0) return;
  if (state.log.some(({ role }) => role === "system")) throw twoSystems(root.name);
}

function mayEndAfterRound(turn: OngoingTurn): boolean {
  return (returningOf(turn) ?? turn.root.options.stopWhen) !== undefined;
}

/** Those of the agent that gave the answer, also where it has handed over since. */
function returningOf(turn: OngoingTurn): readonly string[] | undefined {
  const { agent = turn.state.active } = turn.state.steps.at(-1) ?? {};
  return turn.partsOf(agent).options.returnDirectly;
}

function setEnd(state: AgentState, reason: EndReason, text: string): void {
  state.end = reason;
  state.text = text;
}

async function answerStep(
  turn: OngoingTurn,
  ready: ReadyAgent,
  kind: CallKind,
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const { state, root } = turn;
  if (turn.answers.known === 0) turn.emit({ type: "step_start" });
  const preparing = prepareStep(turn, ready, ctx);
  const step = preparing instanceof Promise ? await preparing : preparing;
  const structured = root.output === undefined ? undefined : await import("./structured-output.js");
  const rule = structured?.outputRule(root, step.infos);
  for (let asks = kind; ; ) {
    const request = requestOf(turn, step, rule, asks);
    const { table } = toolboxOf(step);
    const judge = turn.guards.length === 0 ? undefined : await answerJudgeOf(turn, ctx, table);
    const message = withCallIds(await callModel(turn, step.model, request, { ctx, table, judge }));
    if (isBlockedOutput(turn))
      return acceptAnswer(turn, { step, answer: message, kind: asks, rule, jumpTo: "end", accepted: undefined }, ctx);
    const changing = afterModel(turn, message, ctx);
    const changes = changing === undefined ? noChanges : await changing;
    const answer = changes.message ?? message;
    const verdict =
      changes.jumpTo === undefined && rule !== undefined
        ? await structured?.judgeOutput(turn, rule, { answer, kind: asks }, ctx)
        : undefined;
    if (verdict?.kind === "invalid") {
      // it stays in the log, and the model is asked once more
      if (turn.answers.wrapped >= turn.answers.known) tellInvalidOutput(turn, answer);
      const invalid = isEmpty(answer) ? verdict.complaints : [answer, ...verdict.complaints];
      state.log.push(...invalid.map(markedInvalid));
      asks = "repair";
      continue;
    }
    return acceptAnswer(turn, { step, answer, kind: asks, rule, jumpTo: changes.jumpTo, accepted: verdict }, ctx);
  }
}

async function answerJudgeOf(turn: OngoingTurn, ctx: NodeContext, table: Called["table"]): Promise<Called["judge"]> {
  const { answerJudge } = await import("./guards/judge-answer.js");
  const { state, answers } = turn;
  // an attempt that led nowhere
  if (answers.known <= answers.wrapped && isBlockedOutput(turn)) state.blocked = undefined;
  return answerJudge(turn, ctx, table);
}

function isBlockedOutput({ state: { blocked } }: OngoingTurn): boolean {
  return blocked?.on === "output";
}

/** Chats do not show what was only said to get a valid output. */
function markedInvalid(message: AgenticMessage): AgenticMessage {
  return { ...message, extra: { ...message.extra, invalid: true } };
}

/** A reader of a resumed run has already seen those before the last one. */
function tellInvalidOutput(turn: OngoingTurn, answer: AgenticMessage): void {
  if (!turn.streams) return;
  tellWhole(turn, answer);
  turn.emit({ type: "restart", reason: "repair" });
}

const noChanges: ModelChanges = {};

interface Accepted {
  readonly step: PreparedStep;
  readonly answer: AgenticMessage;
  readonly kind: CallKind;
  readonly rule: OutputRule | undefined;
  readonly jumpTo: ModelChanges["jumpTo"];
  readonly accepted: Verdict;
}

/** Logs an answer, and decides where the turn goes from here. */
function acceptAnswer(
  turn: OngoingTurn,
  accepted: Accepted,
  ctx: NodeContext,
): AgenticMessage | Promise<AgenticMessage> {
  const { state } = turn;
  const { answer, step, accepted: output } = accepted;
  state.phase = "model";
  if (turn.streams) tellWhole(turn, answer);
  const record = {
    message: answer,
    results: [] as readonly AgenticMessage[],
    usage: answer.responseMeta?.tokenUsage ?? noUsage,
    finishReason: answer.responseMeta?.finishReason ?? (hasToolCalls(answer) ? "tool_calls" : "stop"),
    model: modelNameOf(answer, step.model),
    agent: state.active,
  };
  const calls = toolCallsOf(answer);
  if (!isEmpty(answer)) state.log.push(answer);
  state.steps.push(record);
  const toolbox = toolboxOf(step);
  turn.toolbox = toolbox;
  if (output?.kind === "accepted") return closeStep(turn, accepted, output.results, ctx);
  if (accepted.jumpTo !== undefined)
    return closeStep(turn, accepted, notExecuted(calls, "a middleware jumped over it"), ctx);
  if (accepted.kind === "last") {
    return closeStep(turn, accepted, notExecuted(calls, "the agent was asked for its answer"), ctx);
  }
  if (calls.length > 0 || asksApproval(answer)) {
    state.phase = "tools";
    if (isSavedRun(ctx)) {
      const { entries } = toolbox.table;
      state.openTools = calls.map(({ name }) => name).filter((name) => entries.get(name) !== undefined);
    }
    return leaveWith(turn, answer, ctx);
  }
  return closeStep(turn, accepted, [], ctx);
}

/** The tools of a step that may run. */
function toolboxOf({ offered, toolbox }: PreparedStep): Toolbox {
  return offered ?? toolbox;
}

/** A step without a round of tools. */
async function closeStep(
  turn: OngoingTurn,
  { answer, jumpTo, kind, accepted }: Accepted,
  results: readonly AgenticMessage[],
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const { state } = turn;
  const step = state.steps.at(-1);
  if (step !== undefined) step.results = results;
  state.log.push(...results);
  if (turn.streams) tellResults(turn, results);
  state.phase = "round";
  const ending = endStep(turn, ctx);
  if (ending !== undefined) await ending;
  const goesOn =
    kind !== "last" &&
    (jumpTo === "model" || (jumpTo === undefined && accepted?.kind !== "accepted" && isPaused(answer)));
  if (goesOn) {
    state.phase = "model";
    return leaveWith(turn, answer, ctx);
  }
  const isLast = kind === "last" && accepted?.kind !== "accepted" && state.blocked === undefined;
  const text = accepted?.kind === "accepted" ? accepted.text : textOf(answer);
  setEnd(state, isLast ? "max_steps" : endReasonOf(answer, accepted?.kind === "accepted"), text);
  return await endTurn(turn, ctx);
}

/** Tells hooks and readers of a step that is over. */
export function endStep(turn: OngoingTurn, ctx: NodeContext): Promise<void> | undefined {
  const hooks = afterStep(turn, ctx);
  if (hooks !== undefined) return hooks.then(() => tellStepEnd(turn));
  tellStepEnd(turn);
  return undefined;
}

function tellStepEnd(turn: OngoingTurn): void {
  const step = turn.state.steps.at(-1);
  if (step === undefined) return;
  const { usage, finishReason, model } = step;
  turn.emit({ type: "step_finish", usage, finishReason, model });
}

async function endTurn(turn: OngoingTurn, ctx: NodeContext): Promise<AgenticMessage> {
  const { state } = turn;
  const { pushes } = turn.asked;
  while (pushes !== undefined && !(await pushes.seal(state.taken ?? 0))) {
    if (state.blocked === undefined) return takeAnotherStep(turn, ctx);
    await logPushed(turn, pushes);
  }
  state.phase = "end";
  const hooks = afterAgent(turn, ctx);
  if (hooks !== undefined) await hooks;
  if (turn.user !== undefined) await turn.user.save();
  if (turn.asked.onEnd !== undefined) await turn.asked.onEnd(state);
  const last = state.steps.at(-1)?.message;
  return leaveWith(
    turn,
    state.end === "returned" || state.blocked !== undefined || last === undefined ? assistantMessage(state.text) : last,
    ctx,
  );
}

/** Something was said to the turn just before it ended. */
function takeAnotherStep(turn: OngoingTurn, ctx: NodeContext): AgenticMessage {
  const { state } = turn;
  Object.assign(state, { phase: "model", end: undefined, output: undefined, extended: (state.extended ?? 0) + 1 });
  return leaveWith(turn, state.steps.at(-1)?.message ?? assistantMessage(state.text), ctx);
}

/** Leaves the node with its answer. Until then an abort undoes it, but for what was delivered. */
function leaveWith(turn: OngoingTurn, answer: AgenticMessage, ctx: NodeContext): AgenticMessage {
  turn.delivered = [];
  leaveNode(turn.state, isSavedRun(ctx));
  return answer;
}

function isEmpty({ contentBlocks }: AgenticMessage): boolean {
  return contentBlocks.every(
    (block) => (block.type === "assistant_gen_text" || block.type === "reasoning") && block.text === "",
  );
}

function endReasonOf({ responseMeta }: AgenticMessage, hasOutput: boolean): EndReason {
  if (hasOutput) return "stop";
  const reason = responseMeta?.finishReason;
  if (reason === "length") return "length";
  if (reason === "content_filter") return "content_filter";
  return reason === undefined || reason === "stop" || reason === "tool_calls" ? "stop" : "other";
}

/** Asks the model for one answer, through the middlewares, and emits events as it arrives. */
export function callModel(
  turn: OngoingTurn,
  chain: ModelChain,
  request: ModelRequest,
  called: Called,
): Promise<AgenticMessage> {
  const index = turn.answers.wrapped++;
  const known = turn.state.kept?.wrapped[index];
  if (known !== undefined) return Promise.resolve(known);
  const given = wrapModelCall(turn, chain, request, called) ?? askedOf(turn, chain, request, called);
  const { judge } = called;
  const message = judge === undefined || turn.streams ? given : given.then((whole) => judge.whole(whole));
  return turn.isKept ? keptWhole(turn, index, message) : message;
}

function askedOf(turn: OngoingTurn, chain: ModelChain, request: ModelRequest, called: Called): Promise<AgenticMessage> {
  return turn.streams
    ? tellAnswer(turn, new AskedModel(turn, chain, request, called.ctx), called)
    : answerOf(turn, chain, request, called.ctx);
}

/** When an answer is there, a node that is entered again does not ask for it again, nor for what it was made of. */
async function keptWhole(
  { state, answers }: OngoingTurn,
  index: number,
  asked: Promise<AgenticMessage>,
): Promise<AgenticMessage> {
  const message = await asked;
  const kept = keptOf(state);
  kept.count += answers.asked;
  answers.asked = 0;
  kept.wrapped = kept.wrapped.toSpliced(index, 1, message);
  kept.asked = [];
  return message;
}
