import { randomId } from "../callbacks/random-id.js";
import type { DrivenRun } from "../checkpoint/journal/driven.js";
import { type Interrupt, InterruptError } from "../checkpoint/pause/interrupt.js";
import { isStopInfo } from "../checkpoint/pause/stop-info.js";
import type { NodeContext } from "../components/context.js";
import type { Answers } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { withLocal } from "../run/local.js";
import { howSaved, savedAs } from "../run/options/checkpoint-options.js";
import { jsonCopy } from "../schema/encode-json.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { assistantMessage } from "../schema/message/construct-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import type { ToolInfo } from "../schema/tool-info.js";
import type { AgentGraph } from "./agent.js";
import type { AgentParts } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import type { AgentState } from "./agent-state.js";
import type { AgentCallOptions, Prompt } from "./call-options.js";
import { checkCallOptions, modelOptionsOf, runOptionsOf } from "./call-settings.js";
import { askedWithoutStore, emptyPrompt } from "./errors.js";
import type { EventFeed } from "./event-feed.js";
import { isMcpApproval } from "./interrupt-kinds.js";
import { notExecuted } from "./own-calls.js";
import { promptMessages } from "./prompt-messages.js";
import { resultOf, resultOfAnswer } from "./run-result.js";
import type { EventReader, RunWatch } from "./stream-call.js";
import type { OpenedCall } from "./threads/saved-calls.js";
import type { ThreadTurn } from "./threads/thread-turn.js";
import type { AnsweringRequest, TurnRecord } from "./threads/turn-row.js";
import { untilStopped } from "./threads/until-stopped.js";
import { type Asked, currentTurn, OngoingTurn } from "./turn.js";

/** An agent that can be run. */
export interface RunnableAgent {
  readonly parts: AgentParts;
  readonly graph: AgentGraph;
}

/** One run of an agent: what it is asked, and what became of it. */
export class OngoingRun {
  readonly #agent: RunnableAgent;
  readonly #reader: EventReader | undefined;
  #options: AgentCallOptions = {};
  #turn: OngoingTurn;
  /** The state that a resume begins with. */
  #resumed: AgentState | undefined;
  #prompt: readonly AgenticMessage[] = [];
  /** Whether it ended because it was aborted. */
  wasAborted = false;
  /** The messages to log when it failed. */
  #failed: AgenticMessage[] | undefined;
  #parentCallId: string | undefined;
  /** The caller's memory of it, where the caller may be entered again. */
  #memory: ChildMemory | undefined;
  #depth: number | undefined;
  /** Set if a segment drives it. */
  #driven: DrivenRun | undefined;
  /** The request whose prompt was read as answers. */
  #request: AnsweringRequest | undefined;
  /** The turn as it was opened, with what that has used. */
  #opened: OpenedCall | undefined;

  constructor(agent: RunnableAgent, reader?: EventReader) {
    this.#agent = agent;
    this.#reader = reader;
    this.#turn = new OngoingTurn(agent.parts);
  }

  /** The messages logged so far. */
  messages(): AgenticMessage[] {
    return this.#failed ?? [...(this.#state?.log ?? this.#prompt)];
  }

  /** Which tools the model has, besides that for the output. */
  tools(): readonly ToolInfo[] {
    return this.#turn.step?.infos ?? [];
  }

  async generate(prompt: Prompt, options: AgentCallOptions = {}): Promise<AgentResult<unknown>> {
    const { parts } = this.#agent;
    checkCallOptions(parts, options);
    const messages = promptMessages(prompt);
    this.#prompt = messages;
    if (messages.length === 0 && options.threadId === undefined) throw emptyPrompt();
    const opened = options.threadId === undefined ? undefined : await this.#open(messages, options, options.threadId);
    this.#opened = opened;
    if (opened?.kind === "resumed") {
      this.#request = opened.request;
      return this.resume(opened.checkpointId, opened.answers, pickResume(options));
    }
    if (opened?.kind === "known") return this.#told(opened.record, options.threadId);
    const thread = opened?.turn;
    const isPassing = thread === undefined && options.parent === undefined && options.checkpointId === undefined;
    const checkpointId = thread?.checkpointId ?? options.checkpointId ?? (isPassing ? this.#newId(options) : undefined);
    this.#begin(options, { thread, checkpointId });
    // a run under the id of a new turn is one that was left by a turn which is gone
    const overStray = thread !== undefined && { forceNewRun: true, takeover: true };
    const given = { ...options, ...opened?.left, ...(checkpointId !== undefined && { checkpointId }), ...overStray };
    const run = this.#ofTurn(runOptionsOf(given, this.#watchedBy(thread)));
    const input = thread?.messages ?? messages;
    this.#prompt = input;
    const how = { ...howSaved(options), ...thread?.saved };
    this.#driven = how.driven;
    const own = thread === undefined && !isPassing && !how.driven ? run : savedAs(run, { ...how, isPassing });
    return this.#settle(() => this.#agent.graph.invoke(input, own), { thread, parent: options.parent });
  }

  async resume(
    checkpointId: string | { readonly threadId: string },
    answers: Answers | undefined,
    options: AgentCallOptions = {},
  ): Promise<AgentResult<unknown>> {
    const { openRun, resumeRun } = await import("./threads/saved-calls.js");
    const opened = await openRun(this.#agent, checkpointId, {
      answers,
      options,
      isRead: this.#reader !== undefined,
      request: this.#request,
    });
    if (opened.kind === "known")
      return this.#told(opened.record, typeof checkpointId === "string" ? undefined : checkpointId.threadId);
    const { id, thread, answered } = opened;
    this.#prompt = thread?.messages ?? [];
    this.#begin(options, { thread, checkpointId: id, answered });
    const { driven } = howSaved(options);
    this.#driven = driven;
    const given = this.#ofTurn(runOptionsOf(options, this.#watchedBy(thread)));
    const run = driven === undefined ? given : savedAs(given, { driven });
    const onState = (state: AgentState): void => {
      this.#resumed = state;
    };
    const { modifyState, userId } = options;
    const resumed = { id, thread, answers: opened.answers, run, modifyState, userId, onState };
    return this.#settle(() => resumeRun(this.#agent, resumed), { thread, parent: undefined });
  }

  /** The result of a turn that has stopped already, and its events for those who read them. */
  async #told(record: TurnRecord, threadId: string | undefined): Promise<AgentResult<unknown>> {
    const { toldTurn } = await import("./threads/stored-turn.js");
    const { state, events, interrupts, checkpointId } = toldTurn(record, threadId);
    this.#prompt = record.messages;
    this.#resumed = state;
    for (const { step, ...body } of events) {
      const place = { runId: checkpointId, agentPath: [this.#agent.parts.name], step };
      const wait = this.#reader?.feed.emit(body, place);
      if (wait !== undefined) await wait;
    }
    const waiting = interrupts.length === 0 ? undefined : interrupts;
    const asked = waiting === undefined ? { threadId } : { threadId, checkpointId };
    return resultOf({ root: this.#agent.parts, state, asked }, waiting);
  }

  async #open(messages: readonly AgenticMessage[], options: AgentCallOptions, threadId: string): Promise<OpenedCall> {
    const { openThread } = await import("./threads/saved-calls.js");
    return openThread(this.#agent, { messages, options, threadId, reader: this.#reader?.signal });
  }

  /** A child of a tool call is told which. */
  forCall(callId: string, depth?: number): this {
    this.#parentCallId = callId;
    this.#depth = depth;
    return this;
  }

  get #state(): AgentState | undefined {
    return this.#turn.hasBegun ? this.#turn.state : this.#resumed;
  }

  #newId({ writeToCheckpointId }: AgentCallOptions): string | undefined {
    if (this.#agent.parts.options.store === undefined || writeToCheckpointId !== undefined) return undefined;
    return `agent-${randomId()}`;
  }

  #begin(options: AgentCallOptions, { thread, checkpointId, answered }: Begun): void {
    const reader = this.#reader;
    const { parent, key = this.#agent.parts.name } = options;
    this.#options = options;
    this.#memory = ChildMemory.in(parent, key);
    this.#turn = new OngoingTurn(this.#agent.parts, {
      feed: reader?.feed,
      watch: reader?.watch,
      history: thread?.history,
      kept: thread?.kept,
      active: thread?.active,
      modelOptions: modelOptionsOf(options),
      maxSteps: options.maxSteps,
      threadId: thread?.threadId,
      number: thread?.number,
      userId: thread === undefined ? options.userId : thread.userId,
      checkpointId,
      answered,
      pushes: thread && {
        since: (taken) => thread.since(taken),
        seal: (taken) => thread.seal(taken, this.#driven),
      },
      onEnd: this.#onEnd(thread),
      opened: this.#opened,
      depth: this.#depth,
      parentCallId: this.#parentCallId ?? callIdOf(parent),
    });
  }

  /** What can stop the run, and who hears of its tools. */
  #watchedBy(thread: ThreadTurn | undefined): {
    readonly signal?: AbortSignal | undefined;
    readonly watch?: RunWatch | undefined;
  } {
    const { signal, watch } = this.#reader ?? {};
    if (thread === undefined) return { signal, watch };
    return { signal: signal === undefined ? thread.signal : AbortSignal.any([signal, thread.signal]), watch };
  }

  /** The nodes of the run find the turn by it. */
  #ofTurn<Options extends object>(options: Options): Options {
    return withLocal(options, currentTurn, this.#turn);
  }

  #onEnd(thread: ThreadTurn | undefined): Asked["onEnd"] {
    const memory = this.#memory;
    if (memory !== undefined) return async (state) => memory.remember(state);
    return thread && ((state) => thread.finish(state, this.#driven));
  }

  async #settle(work: () => Promise<AgenticMessage>, ending: Ending): Promise<AgentResult<unknown>> {
    let answer: AgenticMessage;
    try {
      answer = await work();
    } catch (error) {
      if (InterruptError.is(error)) return this.#waits(error, ending);
      const kept = ending.thread?.answerBefore(error);
      if (kept === undefined) return this.#fails(refusalIn(error) ?? error, ending.thread);
      answer = kept;
    }
    const state = this.#state ?? this.#memory?.recall();
    const { parts } = this.#agent;
    if (state === undefined) return resultOfAnswer(parts, this.#prompt, answer);
    await ending.thread?.finish(state, this.#driven);
    // a run that has ended well has no checkpoint any more
    const { threadId } = this.#turn.asked;
    const reading = resultOf({ root: parts, state, asked: { threadId } }, undefined);
    const result = reading instanceof Promise ? await reading : reading;
    this.#tell({ finishReason: result.finishReason, usage: result.usage });
    return result;
  }

  /** With a parent, the parent waits. */
  async #waits(error: InterruptError, { thread, parent }: Ending): Promise<AgentResult<unknown>> {
    if (parent !== undefined) throw error;
    const { parts } = this.#agent;
    if (parts.options.store === undefined) {
      const lost = lostQuestion(error);
      if (lost !== undefined) return this.#fails(lost, thread);
    }
    const state = this.#state;
    if (state === undefined) {
      // no node has run, so it is for whoever goes on with it
      await thread?.release(this.#driven);
      throw error;
    }
    const { interrupts } = error;
    const turn = this.#turn;
    // where nothing has run, they are as they were
    const results = turn.hasBegun && { results: turn.round?.finished(error) ?? [] };
    await turn.user?.save();
    if (this.#driven?.ended?.status === "ready") await thread?.release(this.#driven);
    else await thread?.close("waiting", { state, messages: state.log, interrupts, ...results }, this.#driven);
    const result = await resultOf({ root: parts, state, asked: turn.asked }, interrupts);
    for (const interrupt of interrupts) {
      // a requested stop is not a question
      if (isStopInfo(interrupt.info) && interrupt.info.kind === "requested") continue;
      this.#emit({ type: "interrupt", interrupt: jsonCopy(interrupt) as Interrupt });
    }
    this.#tell({ finishReason: "waiting", usage: result.usage, checkpointId: turn.asked.checkpointId });
    return result;
  }

  async #fails(error: unknown, thread: ThreadTurn | undefined): Promise<never> {
    const turn = this.#turn;
    const { runtime } = this.#agent.parts.options;
    const state = this.#state;
    const signals = [this.#reader?.signal, thread?.signal, this.#options.signal, this.#options.parent?.signal];
    const isAborted = isAbort(error, signals);
    this.wasAborted = isAborted;
    if (state !== undefined) this.#failed = failedLog(state, turn, { error, isAborted });
    const messages = this.#failed ?? [...this.#prompt];
    rememberMessages(error, messages);
    // before a node has run, nothing has changed
    const end = { state: turn.hasBegun ? turn.state : undefined, messages, error };
    // a turn that cannot be closed is free all the same, and the caller should read why the run has failed
    const status = isAborted ? "aborted" : "failed";
    const isLeft = thread?.isLeft({ error, isAborted }, this.#driven) === true;
    const close = async (): Promise<void> => {
      await turn.user?.save();
      await (isLeft ? thread?.release(this.#driven) : thread?.close(status, end, this.#driven));
    };
    const closing = Promise.allSettled([close()]);
    await untilStopped(closing, isAborted ? [AbortSignal.abort(error)] : signals, runtime).catch(() => undefined);
    throw error;
  }

  #emit(event: Parameters<EventFeed["emit"]>[0]): void {
    if (this.#turn.hasBegun) this.#turn.emit(event);
    else this.#reader?.feed.emit(event);
  }

  #tell(end: {
    finishReason: AgentResult<unknown>["finishReason"];
    usage: AgentResult<unknown>["usage"];
    checkpointId?: string | undefined;
  }): void {
    const { checkpointId, ...event } = end;
    this.#emit({ type: "finish", ...event, ...(checkpointId !== undefined && { checkpointId }) });
  }
}

interface Begun {
  readonly thread: ThreadTurn | undefined;
  readonly checkpointId: string | undefined;
  readonly answered?: readonly Interrupt[] | undefined;
}

interface Ending {
  readonly thread: ThreadTurn | undefined;
  readonly parent: NodeContext | undefined;
}

/** Why a resume was refused, inside an error of `modifyState`, which comes wrapped. */
function refusalIn(error: unknown): unknown {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return KumikoError.is(cause) && ["UNKNOWN_TOOL", "THREAD_OF_OTHER_USER"].includes(cause.code) ? cause : undefined;
}

/** The log of a turn that fails: rounds with a result per call, and what was delivered of an aborted answer. */
function failedLog(
  state: AgentState,
  turn: OngoingTurn,
  { error, isAborted }: { readonly error: unknown; readonly isAborted: boolean },
): AgenticMessage[] {
  const done = state.entry === undefined ? [...state.log] : state.log.slice(0, state.entry.log);
  if (turn.round !== undefined) return [...done, ...turn.round.results(error)];
  const last = done.at(-1);
  if (last?.role === "assistant") done.push(...notExecuted(toolCallsOf(last), "the run ended before it"));
  const delivered = turn.delivered.join("");
  return delivered === "" || !isAborted ? done : [...done, assistantMessage(delivered, { extra: { aborted: true } })];
}

function isAbort(error: unknown, signals: readonly (AbortSignal | undefined)[]): boolean {
  return isAbortReason(error) || signals.some((signal) => signal?.aborted === true && signal.reason === error);
}

/** Anything but an error of the library or a failure of a node is the reason of an abort. */
function isAbortReason(error: unknown): boolean {
  return !(typeof error === "object" && error !== null && "code" in error && typeof error.code === "string");
}

function callIdOf(parent: NodeContext | undefined): string | undefined {
  return parent !== undefined && "toolCallId" in parent ? String(parent.toolCallId) : undefined;
}

function pickResume(options: AgentCallOptions): AgentCallOptions {
  const { threadId, onBusy, onWaiting, parent, key, checkpointId, forceNewRun, requestId, replaces, ...others } =
    options;
  return others;
}

/** The memory of a caller that can be entered again: all parts of the result of the agent that it has called. */
class ChildMemory {
  readonly #parent: Context;
  readonly #name: string;

  private constructor(parent: Context, name: string) {
    this.#parent = parent;
    this.#name = name;
  }

  /** `undefined` if the caller cannot be resumed. */
  static in(parent: NodeContext | undefined, key: string): ChildMemory | undefined {
    if (!(parent instanceof Context) || parent.environment.savedRuns === undefined) return undefined;
    return new ChildMemory(parent, parent.invocation.nextChild(`~agent/${key}`));
  }

  remember(state: AgentState): void {
    this.#parent.invocation.remember(this.#name, state);
  }

  recall(): AgentState | undefined {
    return this.#parent.invocation.recall(this.#name)?.value as AgentState | undefined;
  }
}

/**
 * The error of a run without a store: nobody could answer a question that is kept nowhere. `undefined` for a requested stop, which needs no
 * answer, and for a provider's question, which is in the log.
 */
export function lostQuestion(error: InterruptError): KumikoError | undefined {
  const isKept = error.interrupts.every((interrupt) => isStopInfo(interrupt.info) || isMcpApproval(interrupt));
  return isKept ? undefined : askedWithoutStore(error);
}

const logs = new WeakMap<object, readonly AgenticMessage[]>();

/** Remembers the messages logged before a turn failed. An abort's reason is its caller's, and carries nothing. */
export function rememberMessages(error: unknown, messages: readonly AgenticMessage[]): void {
  if (KumikoError.is(error)) logs.set(error, messages);
}

/**
 * The log of a turn that failed: the prompt, the rounds that were done, and of a round that failed a result per
 * call. It can be sent again. Empty for errors that an agent did not fail with.
 *
 * @example
 * try {
 *   await agent.generate("Book it");
 * } catch (error) {
 *   await agent.generate([...messagesOf(error), userMessage("Try again")]);
 * }
 */
export function messagesOf(error: unknown): AgenticMessage[] {
  return [...((typeof error === "object" && error !== null ? logs.get(error) : undefined) ?? [])];
}
