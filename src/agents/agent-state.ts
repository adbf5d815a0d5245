import type { AgenticMessage, FinishReason, TokenUsage } from "../schema/message/agentic-message.js";
import type { EndReason } from "./agent-result.js";
import { addUsage, noUsage } from "./token-usage.js";

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

export interface EntryPoint {
  readonly phase: AgentState["phase"];
  readonly log: number;
  readonly steps: number;
  readonly mismatches: number;
  readonly view: StateView | undefined;
}

/** The answers of one execution of the node `model`: entered again, it does not ask for them again. */
export interface KeptAnswers {
  /** Of models, in the order in which they were asked, for the answer that is under way. */
  asked: readonly AgenticMessage[];
  /** The same after the middlewares around them. */
  wrapped: readonly AgenticMessage[];
  /** How often a model was asked for the answers before the one that is under way, those that are not kept included. */
  count: number;
}

/** One turn of an agent, as a checkpoint keeps it: plain JSON. */
export interface AgentState {
  /** Where the turn is: `tools` while calls are open, `round` when they have their results. */
  phase: "start" | "model" | "tools" | "round" | "end";
  /** The name of the agent that answers. */
  active: string;
  /** The prompt, and all that was logged since. */
  log: AgenticMessage[];
  steps: StateStep[];
  usage: TokenUsage;
  usageByModel: Record<string, TokenUsage>;
  view: StateView | undefined;
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
  /** The states of middlewares, by name. */
  middleware: Record<string, unknown>;
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
