import { randomId } from "../callbacks/random-id.js";
import { type Interrupt, InterruptError } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import type { Answers } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { asRunOfLibrary } from "../run/options/checkpoint-options.js";
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
import { emptyPrompt } from "./errors.js";
import type { EventFeed } from "./event-feed.js";
import { lostQuestion } from "./lost-question.js";
import { rememberMessages } from "./messages-of.js";
import { notExecuted } from "./own-results.js";
import { promptMessages } from "./prompt-messages.js";
import { resultOf, resultOfAnswer } from "./run-result.js";
import type { OpenedCall } from "./saved-calls.js";
import type { EventReader } from "./stream-call.js";
import type { ThreadTurn } from "./thread-turn.js";
import type { SpentTokens } from "./token-usage.js";
import type { AgentCall } from "./turn.js";
import { untilStopped } from "./until-stopped.js";

/** An agent that can be run. */
export interface RunnableAgent {
  readonly parts: AgentParts;
  readonly graph: AgentGraph;
  /** For runs whose id is unknown to the caller until they wait: they are saved only then. */
  readonly passing: AgentGraph;
  /** For such runs once they have waited: they are saved as all others, and nothing of them stays. */
  readonly resuming: AgentGraph;
}

/** One call of an agent: what it is asked, and what became of it. */
export class AgentRunCall {
  readonly #agent: RunnableAgent;
  readonly #reader: EventReader | undefined;
  #options: AgentCallOptions = {};
  #call: AgentCall;
  #prompt: readonly AgenticMessage[] = [];
  /** The messages to log when it failed. */
  #failed: AgenticMessage[] | undefined;
  #parentCallId: string | undefined;
  /** The caller's memory of it, where the caller may be entered again. */
  #memory: ChildMemory | undefined;
  #depth: number | undefined;
  /** The tokens that opening the turn has used. */
  #spent: readonly SpentTokens[] | undefined;

  constructor(agent: RunnableAgent, reader?: EventReader) {
    this.#agent = agent;
    this.#reader = reader;
    this.#call = { streams: reader !== undefined };
  }

  /** The messages logged so far. */
  messages(): AgenticMessage[] {
    return this.#failed ?? [...(this.#state?.log ?? this.#prompt)];
  }

  /** Which tools the model has, besides that for the output. */
  tools(): readonly ToolInfo[] {
    return this.#call.turn?.step?.infos ?? [];
  }

  async generate(prompt: Prompt, options: AgentCallOptions = {}): Promise<AgentResult<unknown>> {
    const { parts } = this.#agent;
    checkCallOptions(parts, options);
    const messages = promptMessages(prompt);
    this.#prompt = messages;
    if (messages.length === 0 && options.threadId === undefined) throw emptyPrompt();
    const opened = options.threadId === undefined ? undefined : await this.#open(messages, options, options.threadId);
    this.#spent = opened?.spent;
    if (opened?.kind === "resumed") return this.resume(opened.checkpointId, opened.answers, pickResume(options));
    const thread = opened?.turn;
    const isPassing = thread === undefined && options.parent === undefined && options.checkpointId === undefined;
    const checkpointId = thread?.checkpointId ?? options.checkpointId ?? (isPassing ? this.#newId(options) : undefined);
    this.#begin(options, thread, checkpointId);
    const graph = isPassing ? this.#agent.passing : this.#agent.graph;
    const run = runOptionsOf(
      { ...options, ...opened?.left, ...(checkpointId !== undefined && { checkpointId }) },
      this.#call,
      this.#reader?.signal,
    );
    const input = thread?.messages ?? messages;
    this.#prompt = input;
    const own = thread === undefined ? run : asRunOfLibrary(run);
    return this.#settle(() => graph.invoke(input, own), { thread, parent: options.parent, isPassing });
  }

  async resume(
    checkpointId: string | { readonly threadId: string },
    answers: Answers | undefined,
    options: AgentCallOptions = {},
  ): Promise<AgentResult<unknown>> {
    const { openRun, resumeRun } = await import("./saved-calls.js");
    const { id, thread } = await openRun(this.#agent, checkpointId, options);
    this.#prompt = thread?.messages ?? [];
    this.#begin(options, thread, id);
    const resumed = { id, thread, answers, options, call: this.#call, signal: this.#reader?.signal };
    return this.#settle(() => resumeRun(this.#agent, resumed), { thread, parent: undefined, isPassing: false });
  }

  async #open(messages: readonly AgenticMessage[], options: AgentCallOptions, threadId: string): Promise<OpenedCall> {
    const { openThread } = await import("./saved-calls.js");
    return openThread(this.#agent, { messages, options, threadId, reader: this.#reader?.signal });
  }

  /** A child of a tool call is told which. */
  forCall(callId: string, depth?: number): this {
    this.#parentCallId = callId;
    this.#depth = depth;
    return this;
  }

  get #state(): AgentState | undefined {
    return this.#call.turn?.state ?? this.#call.state;
  }

  #newId({ writeToCheckpointId }: AgentCallOptions): string | undefined {
    if (this.#agent.parts.options.store === undefined || writeToCheckpointId !== undefined) return undefined;
    return `agent-${randomId()}`;
  }

  #begin(options: AgentCallOptions, thread: ThreadTurn | undefined, checkpointId: string | undefined): void {
    const reader = this.#reader;
    const { parent, key = this.#agent.parts.name } = options;
    this.#options = options;
    this.#memory = ChildMemory.in(parent, key);
    this.#call = {
      streams: reader !== undefined,
      feed: reader?.feed,
      watch: reader?.watch,
      history: thread?.history,
      kept: thread?.kept,
      active: thread?.active,
      modelOptions: modelOptionsOf(options),
      maxSteps: options.maxSteps,
      threadId: thread?.threadId,
      checkpointId,
      onEnd: this.#onEnd(thread),
      spent: this.#spent,
      depth: this.#depth,
      parentCallId: this.#parentCallId ?? callIdOf(parent),
    };
  }

  #onEnd(thread: ThreadTurn | undefined): AgentCall["onEnd"] {
    const memory = this.#memory;
    if (memory !== undefined) return async (state) => memory.remember(state);
    return thread && ((state) => thread.finish(state));
  }

  async #settle(work: () => Promise<AgenticMessage>, ending: Ending): Promise<AgentResult<unknown>> {
    let answer: AgenticMessage;
    try {
      answer = await work();
    } catch (error) {
      if (InterruptError.is(error)) return this.#waits(error, ending);
      return this.#fails(toolGoneIn(error) ?? error, ending.thread, ending.isPassing);
    }
    const state = this.#state ?? this.#memory?.recall();
    const { parts } = this.#agent;
    if (state === undefined) return resultOfAnswer(parts, this.#prompt, answer);
    await ending.thread?.finish(state);
    // a run that has ended well has no checkpoint any more
    const { threadId } = this.#call;
    const reading = resultOf({ root: parts, state, call: { threadId } }, undefined);
    const result = reading instanceof Promise ? await reading : reading;
    this.#tell({ finishReason: result.finishReason, usage: result.usage });
    return result;
  }

  /** With a parent, the parent waits. */
  async #waits(error: InterruptError, { thread, parent, isPassing }: Ending): Promise<AgentResult<unknown>> {
    if (parent !== undefined) throw error;
    const { parts } = this.#agent;
    if (parts.options.store === undefined) {
      const lost = lostQuestion(error);
      if (lost !== undefined) return this.#fails(lost, thread, isPassing);
    }
    const state = this.#state;
    if (state === undefined) throw error;
    const { interrupts } = error;
    const { turn } = this.#call;
    // where nothing has run, they are as they were
    const results = turn && { results: turn.round?.finished(error) ?? [] };
    await thread?.close("waiting", { state, messages: state.log, interrupts, ...results });
    const result = await resultOf({ root: parts, state, call: this.#call }, interrupts);
    for (const interrupt of interrupts) this.#emit({ type: "interrupt", interrupt: jsonCopy(interrupt) as Interrupt });
    this.#tell({ finishReason: "waiting", usage: result.usage, checkpointId: this.#call.checkpointId });
    return result;
  }

  async #fails(error: unknown, thread: ThreadTurn | undefined, isPassing: boolean): Promise<never> {
    const { turn, checkpointId } = this.#call;
    const { store, runtime } = this.#agent.parts.options;
    const state = this.#state;
    const signals = [this.#reader?.signal, this.#options.signal, this.#options.parent?.signal];
    const isAborted = isAbort(error, signals);
    if (state !== undefined) this.#failed = failedLog(state, turn, { error, isAborted });
    const messages = this.#failed ?? [...this.#prompt];
    rememberMessages(error, messages);
    // before a node has run, nothing has changed
    const end = { state: turn?.state, messages, error };
    const leaving = [thread?.close(isAborted ? "aborted" : "failed", end)];
    if (isPassing && store !== undefined && checkpointId !== undefined) leaving.push(store.delete(checkpointId));
    // a turn that cannot be closed is free all the same, and the caller should read why the run has failed
    const left = Promise.allSettled(leaving);
    await untilStopped(left, isAborted ? [AbortSignal.abort(error)] : signals, runtime).catch(() => undefined);
    throw error;
  }

  #emit(event: Parameters<EventFeed["emit"]>[0]): void {
    const { turn } = this.#call;
    if (turn !== undefined) turn.emit(event);
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

interface Ending {
  readonly thread: ThreadTurn | undefined;
  readonly parent: NodeContext | undefined;
  readonly isPassing: boolean;
}

/** The `UNKNOWN_TOOL` inside an error of `modifyState`, which comes wrapped. */
function toolGoneIn(error: unknown): unknown {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return KumikoError.is(cause) && cause.code === "UNKNOWN_TOOL" ? cause : undefined;
}

/** The log of a turn that fails: rounds with a result per call, and what was delivered of an aborted answer. */
function failedLog(
  state: AgentState,
  turn: AgentCall["turn"],
  { error, isAborted }: { readonly error: unknown; readonly isAborted: boolean },
): AgenticMessage[] {
  const done = state.entry === undefined ? [...state.log] : state.log.slice(0, state.entry.log);
  if (turn?.round !== undefined) return [...done, ...turn.round.results(error)];
  const last = done.at(-1);
  if (last?.role === "assistant") done.push(...notExecuted(toolCallsOf(last), "the run ended before it"));
  const delivered = turn?.delivered.join("") ?? "";
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
  const { threadId, onBusy, onWaiting, parent, key, checkpointId, forceNewRun, ...others } = options;
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
