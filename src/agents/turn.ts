import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import type { ToolChoice } from "../components/model.js";
import { Context } from "../run/context.js";
import { LocalKey, localOf, nearestLocal } from "../run/local.js";
import { jsonCopy } from "../schema/encode-json.js";
import type { AgenticMessage, TokenUsage } from "../schema/message/agentic-message.js";
import type { ToolInfo } from "../schema/tool-info.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import type { AgentContext, AgentRun } from "./agent-context.js";
import type { AgentEventBody, EventPlace, RestartReason } from "./agent-event.js";
import { type AgentParts, reachableFrom } from "./agent-parts.js";
import {
  type AgentState,
  contextKey,
  countUsage,
  type KeptContext,
  newAgentState,
  type SpentTokens,
  viewFrom,
} from "./agent-state.js";
import type { CallRule } from "./approvals/approvals.js";
import type { AgentModelOptions } from "./call-options.js";
import type { EventFeed } from "./event-feed.js";
import type { GuardOptions, Verdicts } from "./guards/guard.js";
import type { AnswerTaker } from "./live-answer.js";
import type { ModelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import { isHidden } from "./said-before.js";
import type { RunWatch } from "./stream-call.js";
import type { Toolbox } from "./toolbox.js";

/** What a call of an agent asks of its turn. One that runs as a bare graph is asked nothing but its input. */
export interface Asked {
  readonly feed?: EventFeed | undefined;
  /** Where the answers of the models go, piece by piece. */
  readonly live?: AnswerTaker | undefined;
  /** Earlier turns of the thread. */
  readonly history?: readonly AgenticMessage[] | undefined;
  /** The values that middlewares keep across turns. */
  readonly kept?: Readonly<Record<string, unknown>> | undefined;
  readonly modelOptions?: AgentModelOptions | undefined;
  readonly threadId?: string | undefined;
  /** The number of the turn in its thread. */
  readonly number?: number | undefined;
  readonly userId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly maxSteps?: number | undefined;
  /** Who answers, when an earlier turn of the thread was handed over. */
  readonly active?: string | undefined;
  /** Of the caller that this is a tool of. */
  readonly parentCallId?: string | undefined;
  /** What was done before the run began, to read answers out of the message. */
  readonly opened?: OpenedBefore | undefined;
  /** The questions that the run was resumed with answers for. */
  readonly answered?: readonly Interrupt[] | undefined;
  /** How many tasks it is inside of. */
  readonly depth?: number | undefined;
  readonly watch?: RunWatch | undefined;
  /** What is said to the turn while it runs, where it is one of a thread. */
  readonly pushes?: TurnPushes | undefined;
  /** Called before the run has ended: a thread must know of the end while there still is a checkpoint. */
  readonly onEnd?: ((state: AgentState) => Promise<void>) | undefined;
}

/** What opening a turn of a thread has come to. */
interface OpenedBefore {
  /** The tokens used. */
  readonly spent: readonly SpentTokens[];
  /** What guards have said of the prompt. */
  readonly verdicts?: Verdicts | undefined;
}

/** What is said to a turn of a thread while it runs. */
export interface TurnPushes {
  /** The messages after the first `taken`. */
  since(taken: number): Promise<readonly AgenticMessage[]>;
  /** Takes no more of them; `false` if there are some that were not taken. */
  seal(taken: number): Promise<boolean>;
}

/** What middlewares keep for the user, beyond the turn. */
export interface UserStates {
  /** A middleware begins with a state of its own: that is not a change. */
  begin(middleware: string, state: unknown): void;
  /** Writes what the turn has changed. Never rejects. */
  save(): Promise<void>;
}

interface Listener {
  readonly feed: EventFeed;
  readonly path: readonly string[];
  /** Where the last event was, and who answered: most stand in the same place. */
  place?: Omit<EventPlace, "seq"> | undefined;
  agent?: string | undefined;
}

/** Which tools a call of the model has: all, only the one for the output, or none that it may use. */
export type CallKind = "step" | "repair" | "last";

/** The round that is under way, for those who must say what became of it. */
export interface OpenRound {
  /** The results of its calls, once they are over. */
  done: readonly AgenticMessage[] | undefined;
  /** The results to log if it ends with this error. */
  results(error: unknown): readonly AgenticMessage[];
  /** The same for calls that have finished only, if it waits with this error. */
  finished(error: unknown): readonly AgenticMessage[];
}

/** Where the run of an agent's graph keeps its turn. */
export const currentTurn = new LocalKey<OngoingTurn>("turn");

/** The turn that a context is in: that of the nearest run around it which is one of an agent. */
export function turnAround(ctx: NodeContext): OngoingTurn | undefined {
  return ctx instanceof Context ? nearestLocal(ctx.localRun, currentTurn) : undefined;
}

/** The turn of a node of an agent's graph. It begins with the first node. */
export function turnOf(root: AgentParts, ctx: NodeContext<AgentState>): OngoingTurn {
  const run = ctx instanceof Context ? ctx.localRun : undefined;
  let turn = localOf(run, currentTurn);
  if (turn === undefined) {
    turn = new OngoingTurn(root);
    if (run !== undefined) run.local = { key: currentTurn, value: turn };
  }
  if (!turn.hasBegun) turn.begin(ctx);
  return turn;
}

/** Whether the state of the run is saved, at its end or at each step. */
export function isSavedRun(ctx: NodeContext): boolean {
  return ctx instanceof Context && ctx.environment.savedRuns !== undefined;
}

/** An agent with the model, instructions and tools of one turn. */
export interface ReadyAgent {
  readonly parts: AgentParts;
  readonly model: ModelChain;
  readonly instructions: readonly AgenticMessage[];
  readonly toolbox: Toolbox;
}

/** The request of one step, and the tools that it may call. */
export interface PreparedStep {
  readonly ready: ReadyAgent;
  readonly model: ModelChain;
  readonly instructions: readonly AgenticMessage[];
  /** Those that middlewares have added. */
  readonly added: readonly AgenticMessage[];
  /** The names of tools that middlewares hide. */
  readonly hidden: ReadonlySet<string>;
  readonly infos: readonly ToolInfo[];
  readonly toolbox: Toolbox;
  /** The tools that the model is offered, if a hook has chosen some: no others run. */
  readonly offered?: Toolbox | undefined;
  readonly toolChoice: ToolChoice | undefined;
  readonly options: AgentModelOptions;
  /** Whether middlewares see what the model is asked. */
  readonly isSeen: boolean;
  /** The options of the model, once they are known, where they are the same in every step. */
  requested?: ModelRequest["options"] | undefined;
}

/** One turn of an agent in this process: what its state does not keep. */
export class OngoingTurn {
  readonly root: AgentParts;
  readonly asked: Asked;
  readonly history: readonly AgenticMessage[];
  /** Whether a node of it has run. */
  hasBegun = false;
  state: AgentState;
  /** The round of tools that is under way. */
  round: OpenRound | undefined;
  /** How many tasks it is inside of. */
  depth = 0;
  /** Receives the events of tools. */
  watch: RunWatch | undefined;
  /** The agents that have answered, by name. */
  readonly ready = new Map<string, ReadyAgent | Promise<ReadyAgent>>();
  /** A step of the agent that answered last, as it is before hooks change it. */
  step: PreparedStep | undefined;
  /** The step that is under way, as far as hooks have changed it. */
  changing: PreparedStep | undefined;
  /** The tools of the step that is under way. */
  toolbox: Toolbox | undefined;
  /** How many of the messages have been sent as they are: without a system message, and with a result for every call. */
  inOrder = 0;
  /** The options of the run for its models, and for its tools. */
  modelOptions: AgentModelOptions | undefined;
  toolsOptions: ToolsNodeOptions | undefined;
  /** Text of an answer that is under way, as far as it was delivered, piece by piece. */
  delivered: readonly string[] = [];
  /** Why an answer begins again. */
  restartReason: RestartReason = "retry";
  /**
   * How many answers there were in this execution of the node `model`: of models for the one that is under way, after the
   * middlewares around them, known from an earlier execution, and of models at all.
   */
  answers = { asked: 0, wrapped: 0, known: 0, count: 0 };
  /** Whether a node may be entered again, in this process or another one: then its answers are kept. */
  isKept = false;
  /** Whether the values that middlewares keep for the user have to be read. */
  waitsForUser = false;
  /** Those values, if there are any. */
  user: UserStates | undefined;
  /** Of the agent around this one. */
  #outer: OngoingTurn | undefined;
  /** The agents that may answer, by name; `undefined` if that is only the called one. */
  readonly #reachable: ReadonlyMap<string, AgentParts> | undefined;
  /** Whether a message of the earlier turns is hidden from models. */
  #historyHides: boolean | undefined;
  #listeners: readonly Listener[] = [];
  /** Of the node that began it. (A closure over it kept turns that were over from young garbage collections.) */
  #node: NodeContext["runInfo"] | undefined;

  constructor(root: AgentParts, asked: Asked = {}) {
    this.root = root;
    this.asked = asked;
    this.history = asked.history ?? [];
    this.state = notBegun;
    this.#reachable = root.options.handoffs && new Map(reachableFrom(root).map((parts) => [parts.name, parts]));
  }

  begin(ctx: NodeContext<AgentState>): void {
    const { root, asked } = this;
    const { state } = ctx;
    this.hasBegun = true;
    this.state = state;
    this.isKept = isSavedRun(ctx) || (ctx instanceof Context && ctx.retains);
    this.#node = ctx.runInfo;
    const outer = ctx instanceof Context ? nearestLocal(ctx.localRun?.around?.localRun, currentTurn) : undefined;
    this.#outer = outer;
    const around = outer?.listeners ?? [];
    const own = asked.feed === undefined ? [] : [{ feed: asked.feed, path: [], place: undefined, agent: undefined }];
    this.#listeners = [...own, ...around];
    this.depth = asked.depth ?? outer?.depth ?? 0;
    this.watch = asked.watch ?? outer?.watch;
    const active = state.phase === "start" ? (asked.active ?? state.active) : state.active;
    if (state.phase === "start") {
      const userId = asked.userId ?? outer?.state.userId;
      if (userId !== undefined) state.userId = userId;
      this.#takeContext(asked.kept?.[contextKey] as KeptContext | undefined);
    }
    state.active = this.#reachable?.has(active) === true ? active : root.name;
    for (const { model, usage } of asked.opened?.spent ?? []) this.count(model, usage);
    const { threadId, checkpointId } = asked;
    const answered = asked.answered?.length ? (jsonCopy(asked.answered) as Interrupt[]) : undefined;
    this.emit({ type: "start", threadId, checkpointId, answered });
    if (active !== state.active) this.emit({ type: "handoff", from: active, to: state.active });
    this.#dropStates(ctx);
    this.waitsForUser = this.agents.some(({ middleware }) => middleware.some(({ scope }) => scope === "user"));
  }

  /** The thread goes on with what the model saw last, if a middleware of now sees to that. */
  #takeContext(kept: KeptContext | undefined): void {
    const isKept = ({ name }: { readonly name: string }): boolean => contextMiddlewares.includes(name);
    if (kept === undefined || !reachableFrom(this.root).some(({ middleware }) => middleware.some(isKept))) return;
    const { state, history } = this;
    state.tokenRatio = kept.tokenRatio;
    state.keptView = viewFrom(kept, history);
    state.view = state.keptView;
  }

  /** The agents that may answer, the called one first. */
  get agents(): readonly AgentParts[] {
    return this.#reachable === undefined ? [this.root] : [...this.#reachable.values()];
  }

  /** Those of the called agent, and of the one that answers. */
  get guards(): readonly GuardOptions[] {
    const { root, parts } = this;
    if (parts === root || parts.guards.length === 0) return root.guards;
    return [...root.guards, ...parts.guards.filter((guard) => !root.guards.includes(guard))];
  }

  /** Those about calls of tools: of the called agent first, then of the one that answers. */
  get rules(): readonly CallRule[] | undefined {
    const { root, parts } = this;
    if (parts === root || root.rules === undefined) return parts.rules;
    return parts.rules === undefined ? root.rules : [...root.rules, ...parts.rules];
  }

  /** The nearest store: an inner agent has that of the agents around it, if it has none. */
  get store(): CheckpointStore | undefined {
    return this.root.options.store ?? this.#outer?.store;
  }

  /** The turn of the agent that has called this one. */
  get outer(): OngoingTurn | undefined {
    return this.#outer;
  }

  get parts(): AgentParts {
    return this.partsOf(this.state.active);
  }

  partsOf(agent: string): AgentParts {
    return this.#reachable?.get(agent) ?? this.root;
  }

  get maxSteps(): number {
    return (this.asked.maxSteps ?? this.root.maxSteps) + (this.state.extended ?? 0);
  }

  /** Whether answers are streamed, because their pieces are read. */
  get streams(): boolean {
    return this.#listeners.length > 0 || this.asked.live !== undefined;
  }

  get messages(): readonly AgenticMessage[] {
    const { history, state } = this;
    return [...history, ...state.log];
  }

  /** The conversation as the model sees it. */
  get view(): readonly AgenticMessage[] {
    const { messages } = this;
    const { view } = this.state;
    this.#historyHides ??= this.history.some(isHidden);
    if (view === undefined && !this.#historyHides && !this.state.log.some(isHidden)) return messages;
    const all = view === undefined ? messages : [...view.messages, ...messages.slice(view.covers)];
    return all.filter((message) => !isHidden(message));
  }

  /** Receives the events of inner runs. */
  get listeners(): readonly Listener[] {
    return this.#listeners.map(({ feed, path }) => ({ feed, path: [...path, this.state.active] }));
  }

  emit(event: AgentEventBody): Promise<void> | undefined {
    let wait: Promise<void> | undefined;
    if (this.#listeners.length === 0) return wait;
    const body = withoutAbsent(event);
    for (const listener of this.#listeners) wait = listener.feed.emit(body, this.#placeOn(listener)) ?? wait;
    return wait;
  }

  emitText(delta: string, index: number): Promise<void> | undefined {
    let wait: Promise<void> | undefined;
    for (const listener of this.#listeners) {
      wait = listener.feed.emitText(delta, index, this.#placeOn(listener)) ?? wait;
    }
    return wait;
  }

  /** Counts a call of a model: what an inner agent uses, those around it use. */
  count(model: string, usage: TokenUsage | undefined): void {
    countUsage(this.state, model, usage);
    this.#outer?.count(model, usage);
  }

  context(ctx: NodeContext): AgentContext {
    return {
      agent: this.state.active,
      requestContext: ctx.requestContext,
      threadId: this.asked.threadId,
      turn: this.asked.number,
      userId: this.state.userId,
      get signal() {
        return ctx.signal;
      },
      messages: this.messages,
    };
  }

  /** The run, as functions see it that have no state. */
  run(ctx: NodeContext): AgentRun<never> {
    const turn = this;
    const { state } = this;
    return {
      agent: state.active,
      requestContext: ctx.requestContext,
      threadId: this.asked.threadId,
      turn: this.asked.number,
      userId: state.userId,
      signal: ctx.signal,
      ctx,
      get messages() {
        return turn.messages;
      },
      get view() {
        return turn.view;
      },
      get steps() {
        return [...state.steps];
      },
      get usage() {
        return state.usage;
      },
      state: undefined as never,
    };
  }

  /** On a resume, code wins: states of middlewares that are gone are dropped. */
  #dropStates(ctx: NodeContext): void {
    const kept = Object.keys(this.state.middleware);
    if (kept.length === 0) return;
    const names = new Set(this.agents.flatMap((parts) => parts.middleware.map(({ name }) => name)));
    for (const name of kept) {
      if (names.has(name)) continue;
      Reflect.deleteProperty(this.state.middleware, name);
      ctx.progress({ kind: "middleware_state_dropped", middleware: name });
    }
  }

  #placeOn(listener: Listener): Omit<EventPlace, "seq"> {
    const { phase, steps, active } = this.state;
    const step = phase === "start" ? 0 : phase === "model" ? steps.length + 1 : steps.length;
    const { place: last, path } = listener;
    if (last?.step === step && listener.agent === active) return last;
    listener.agent = active;
    const { parentCallId } = this.asked;
    const place = { runId: this.#node?.parentRunId ?? this.#node?.runId ?? "", agentPath: [...path, active], step };
    listener.place = parentCallId === undefined ? place : { ...place, parentCallId };
    return listener.place;
  }
}

/** Those that change what the model sees for the rest of the thread. */
const contextMiddlewares = ["trimMessages", "summarize", "clearToolResults"];

/** Says of changes of `beforeStep` that the thread keeps them. */
export const keptView: unique symbol = Symbol("kept view");

/** The state of a turn before its first node runs, which has that of the run. */
const notBegun: AgentState = Object.freeze(newAgentState(""));

/** Events are JSON: what is absent is not there. */
function withoutAbsent(event: AgentEventBody): AgentEventBody {
  for (const name in event) {
    if (event[name as keyof AgentEventBody] === undefined) return withoutUndefined<AgentEventBody>(event);
  }
  return event;
}
