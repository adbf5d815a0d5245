import { countIf } from "../models/count-if.js";
import type { AgenticMessage, FinishReason, TokenUsage } from "../schema/message/agentic-message.js";
import type { BlockedPart, EndReason } from "./agent-result.js";

/** One step, as a checkpoint keeps it. */
export interface StateStep {
  readonly message: AgenticMessage;
  results: readonly AgenticMessage[];
  readonly usage: TokenUsage;
  readonly finishReason: FinishReason;
  readonly model: string;
  readonly agent: string;
}

/** The messages that the model sees in place of the beginning of the conversation. */
export interface StateView {
  readonly messages: readonly AgenticMessage[];
  /** How many messages of the conversation it stands for. */
  readonly covers: number;
}

/** What the thread keeps of how much the model sees of it. */
export interface KeptContext {
  /** The messages that the model sees: those of the thread by their number. */
  readonly view?: { readonly messages: readonly (AgenticMessage | number)[]; readonly covers: number } | undefined;
  readonly tokenRatio?: number | undefined;
}

/** Where that stands among the states of middlewares: none can have this name. */
export const contextKey = "~context";

/** What the thread is to keep; `undefined` if that is nothing. `messages`: the thread with the log of this turn. */
export function keptContext(
  { keptView: view, tokenRatio }: AgentState,
  messages: readonly AgenticMessage[],
): KeptContext | undefined {
  if (view === undefined) return tokenRatio === undefined ? undefined : { tokenRatio };
  const numbers = new Map(messages.map((message, index) => [JSON.stringify(message), index]));
  const short = view.messages.map((message) => numbers.get(JSON.stringify(message)) ?? message);
  return { view: { messages: short, covers: view.covers }, tokenRatio };
}

/** The view of a thread as it was kept, if that can still be. `messages`: the thread. */
export function viewFrom({ view }: KeptContext, messages: readonly AgenticMessage[]): StateView | undefined {
  if (view === undefined || view.covers > messages.length) return undefined;
  const whole = view.messages.map((message) => (typeof message === "number" ? messages[message] : message));
  return whole.includes(undefined) ? undefined : { messages: whole as AgenticMessage[], covers: view.covers };
}

export interface EntryPoint {
  readonly phase: AgentState["phase"];
  readonly log: number;
  readonly steps: number;
  readonly mismatches: number;
  readonly view: StateView | undefined;
  readonly taken?: number | undefined;
}

/** The answers of one execution of the node `model`: entered again, it does not ask for them again. */
export interface KeptAnswers {
  /** Of models, in the order in which they were asked, for the answer that is under way. */
  asked: readonly AgenticMessage[];
  /** The same after the middlewares around them. */
  wrapped: readonly AgenticMessage[];
  /** How often a model was asked for the answers before the one that is under way, those that are not kept included. */
  count: number;
  /** How much of what was said to the turn they had seen. */
  taken?: number | undefined;
}

/** One turn of an agent, as a checkpoint keeps it: plain JSON. */
export interface AgentState {
  /** Where the turn is: `tools` while calls are open, `round` when they have their results. */
  phase: "start" | "model" | "tools" | "round" | "end";
  /** The name of the agent that answers. */
  active: string;
  /** Who asks: a resumed run keeps its user. */
  userId?: string | undefined;
  /** The prompt, and all that was logged since. */
  log: AgenticMessage[];
  steps: StateStep[];
  usage: TokenUsage;
  usageByModel: Record<string, TokenUsage>;
  view: StateView | undefined;
  /** The last one that the thread keeps. */
  keptView?: StateView | undefined;
  /** What the model has reported of its last request, compared with how it was counted. */
  tokenRatio?: number | undefined;
  /** Whether `beforeAgent` has run. */
  begun: boolean;
  kept: KeptAnswers | undefined;
  /** The names of the open calls' tools that were there. */
  openTools: readonly string[];
  /** The complaints about calls whose output does not match its schema, by call id. */
  complaints: Record<string, string>;
  /** Where it was when the node was entered that runs: a node that is entered again begins there. */
  entry: EntryPoint | undefined;
  /** How often an output did not fit. */
  mismatches: number;
  /** The accepted output, as JSON. */
  output: string | undefined;
  /** The text of the result. */
  text: string;
  end: EndReason | undefined;
  /** How many messages the log has that were said to the turn while it ran. */
  taken?: number | undefined;
  /** How often the turn was about to end when something was said to it: so many steps more it may take. */
  extended?: number | undefined;
  /** What a guard has blocked, which ends the turn. */
  blocked?: BlockedPart | undefined;
  /** Which guards have judged which messages of the log. */
  judged?: readonly string[] | undefined;
  /** What they have made of them, by their places in the log. */
  replaced?: Readonly<Record<number, string>> | undefined;
  /** How many messages of the log all of them have judged. */
  heard?: number | undefined;
  /** The open calls that a guard has blocked, with its name. */
  denied?: Readonly<Record<string, string>> | undefined;
  /** The states of middlewares, by name. */
  middleware: Record<string, unknown>;
  /** Of those that live as long as the user: as they were when the turn began, and when they were last read or written. */
  user?: { readonly began: Readonly<Record<string, unknown>>; known: Record<string, unknown> } | undefined;
}

export function newAgentState(agent: string): AgentState {
  return {
    phase: "start",
    active: agent,
    log: [],
    steps: [],
    usage: noUsage,
    usageByModel: {},
    view: undefined,
    begun: false,
    kept: undefined,
    openTools: [],
    complaints: {},
    entry: undefined,
    mismatches: 0,
    output: undefined,
    text: "",
    end: undefined,
    middleware: {},
  };
}

/** Counts one call of a model. */
export function countUsage(state: AgentState, model: string, usage: TokenUsage | undefined): void {
  if (usage === undefined) return;
  state.usage = addUsage(state.usage, usage);
  const { usageByModel } = state;
  const counted = Object.hasOwn(usageByModel, model) ? usageByModel[model] : undefined;
  if (counted === undefined) state.usageByModel = { ...usageByModel, [model]: addUsage(noUsage, usage) };
  else usageByModel[model] = addUsage(counted, usage);
}

/** The answer led nowhere: the next attempt asks again. */
export function forgetAnswers({ kept }: AgentState): void {
  if (kept !== undefined) Object.assign(kept, { asked: [], wrapped: [] });
}

export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/** The tokens that a call of a model has used. */
export interface SpentTokens {
  readonly model: string;
  readonly usage: TokenUsage | undefined;
}

/** The sum of two calls. What neither reports stays absent, and so does what cannot be a count: models can be anything. */
export function addUsage(first: TokenUsage, second: TokenUsage | undefined): TokenUsage {
  if (second === undefined) return first;
  const sum: { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] } = {
    promptTokens: countIn(first.promptTokens) + countIn(second.promptTokens),
    completionTokens: countIn(first.completionTokens) + countIn(second.completionTokens),
    totalTokens: totalOf(first) + totalOf(second),
  };
  for (const name of details) {
    const [left, right] = [countIf(first[name]), countIf(second[name])];
    if (left !== undefined || right !== undefined) sum[name] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

/** Where no total is reported, it is at least what is. */
function totalOf({ promptTokens, completionTokens, totalTokens }: TokenUsage): number {
  return countIf(totalTokens) ?? countIn(promptTokens) + countIn(completionTokens);
}

const countIn = (value: unknown): number => countIf(value) ?? 0;

const details = ["reasoningTokens", "cachedTokens", "cacheWriteTokens"] as const satisfies (keyof TokenUsage)[];

/** A node begins; entered again, it begins where it did. */
export function enterNode(state: AgentState): void {
  if (state.entry === undefined) {
    const { phase, log, steps, mismatches, view, taken } = state;
    state.entry = { phase, log: log.length, steps: steps.length, mismatches, view, ...(taken && { taken }) };
  } else {
    const { phase, log, steps, mismatches, view, taken } = state.entry;
    state.log = state.log.slice(0, log);
    state.steps = state.steps.slice(0, steps);
    Object.assign(state, { phase, mismatches, view, end: undefined, output: undefined });
    if (state.taken !== taken) state.taken = taken;
  }
}

/**
 * A node has done its work: its part of the log stays. What a saved run has logged is frozen, so that a save does not compare it
 * again: without that, each step of a long run costs more than the one before.
 */
export function leaveNode(state: AgentState, isSaved: boolean): void {
  if (isSaved && state.entry !== undefined) freezeLog(state, state.entry);
  state.entry = undefined;
  state.kept = undefined;
}

/** Freezes what a node has logged, as copies: the messages themselves may belong to a model, a tool or a caller. */
function freezeLog(state: AgentState, { phase, log, steps }: EntryPoint): void {
  const { frozen } = new FrozenCopies();
  const first = phase === "start" ? 0 : log;
  for (let index = first; index < state.log.length; index++)
    state.log[index] = frozen(state.log[index] as AgenticMessage);
  for (let index = Math.max(0, steps - 1); index < state.steps.length; index++) {
    const step = state.steps[index] as StateStep;
    // the results of open calls are still missing
    state.steps[index] = state.phase === "tools" ? { ...step, message: frozen(step.message) } : frozen(step);
  }
}

/** Deeply frozen copies of lists and plain objects. One object has one copy; what is frozen, and any other value, stays. */
class FrozenCopies {
  readonly #copies = new Map<object, object>();

  readonly frozen = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    return (this.#copies.get(value) ?? this.#copyOf(value)) as T;
  };

  #copyOf(value: object): object {
    const isList = Array.isArray(value);
    if (Object.isFrozen(value) || Object.getPrototypeOf(value) !== (isList ? Array : Object).prototype) return value;
    const copy: object = isList ? [] : {};
    this.#copies.set(value, copy);
    this.#copies.set(copy, copy);
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      if ("value" in descriptor) descriptor.value = this.frozen(descriptor.value);
      Object.defineProperty(copy, key, descriptor);
    }
    return Object.freeze(copy);
  }
}
