import { causedByInterrupt } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import type { RequestContext } from "../components/request-context.js";
import { endsRun } from "../errors.js";
import type { AgenticMessage, TokenUsage } from "../schema/message/agentic-message.js";
import type { AgentStep } from "./agent-result.js";
import { optionFailed } from "./errors.js";

/** The context of functions in the options of an agent: who is running, for whom. */
export interface AgentContext {
  /** The name of the agent that answers now. */
  readonly agent: string;
  /** The values of this request. */
  readonly requestContext: RequestContext;
  /** The thread of the call; missing without one. */
  readonly threadId?: string | undefined;
  /** The number of the turn in its thread, starting at 1; missing without one. */
  readonly turn?: number | undefined;
  /** Who asks; missing where the call names nobody. */
  readonly userId?: string | undefined;
  /** The conversation: earlier turns of the thread, then all that was logged in this one. */
  readonly messages: readonly AgenticMessage[];
  /** Aborted when the run stops. */
  readonly signal: AbortSignal;
}

/** A run of an agent, as hooks of a middleware and `stopWhen` see it. */
export interface AgentRun<M = unknown> extends AgentContext {
  /** The conversation as the model sees it, without instructions. */
  readonly view: readonly AgenticMessage[];
  /** The steps of this turn so far. */
  readonly steps: readonly AgentStep[];
  /** The tokens of this turn so far. */
  readonly usage: TokenUsage;
  /** The state of the middleware: kept with the run, and with `scope: "thread"` across turns. */
  state: M;
  /** The node that runs: for `ask`, `once`, `progress` and child runs. */
  readonly ctx: NodeContext;
}

/**
 * Whether a run is over, asked after each round of tools.
 *
 * @example
 * const agent = createAgent({
 *   model,
 *   tools: [getWeather],
 *   stopWhen: [calledTool("get_weather"), ({ usage }) => usage.totalTokens > 50_000],
 * });
 */
export type StopWhen = (run: AgentRun) => boolean | Promise<boolean>;

/**
 * A value, or what works it out for each turn.
 *
 * @example
 * const agent = createAgent({
 *   model: ({ requestContext }) => openai(requestContext.get("plan") === "pro" ? "gpt-5" : "gpt-5-mini"),
 *   instructions: async ({ threadId }) => `This is conversation ${threadId}.`,
 * });
 */
export type Per<T> = T | ((agent: AgentContext) => T | Promise<T>);

/** Calls a function of an option. If it throws, the error names the function; stops and questions pass. */
export async function askOption<T>(
  agent: string,
  option: string,
  signal: AbortSignal,
  ask: () => T | Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (causedByInterrupt(error) || endsRun(error) || (signal.aborted && error === signal.reason)) throw error;
    throw optionFailed(agent, option, error);
  }
}
