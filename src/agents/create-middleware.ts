import type { ToolChoice } from "../components/model.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import type { Model } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { ToolCall } from "../tools/node/middleware.js";
import type { AgentRun } from "./agent-context.js";
import type { AgentResult, AgentStep } from "./agent-result.js";
import type { AgentModelOptions } from "./call-options.js";
import { checkNames, invalidMiddleware } from "./errors.js";
import type { ModelReply, ModelRequest } from "./model-request.js";

/** A hook may give something, or nothing at all. */
type Maybe<T> = T | undefined | void | Promise<T | undefined> | Promise<void>;

/**
 * What `beforeStep` changes. All but `messages` holds for this step only.
 *
 * @example
 * const careful = createMiddleware({
 *   name: "careful",
 *   beforeStep: ({ steps }) => (steps.length > 5 ? { model: openai("gpt-5"), tools: ["get_weather"] } : undefined),
 * });
 */
export interface StepChanges {
  /** What the model sees of the conversation from now on. */
  readonly messages?: readonly AgenticMessage[] | undefined;
  readonly instructions?: string | readonly AgenticMessage[] | undefined;
  readonly model?: Model | undefined;
  /** Names of the agent's tools, or other tools. */
  readonly tools?: readonly string[] | readonly AnyTool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly options?: AgentModelOptions | undefined;
}

/**
 * What `afterModel` changes.
 *
 * @example
 * const brief = createMiddleware({
 *   name: "brief",
 *   afterModel: (message) => (textOf(message).length > 2_000 ? { jumpTo: "end" } : undefined),
 * });
 */
export interface ModelChanges {
  /** Replaces the answer in the log. */
  readonly message?: AgenticMessage | undefined;
  /** Asks the model again, or ends the run; open calls are `not_executed`. */
  readonly jumpTo?: "model" | "end" | undefined;
}

/** Calls what is inside: the model, or the next middleware. May be called again. */
export type NextModelCall = (request?: ModelRequest) => ModelReply;

/**
 * Calls the tool, or the next middleware.
 *
 * @example
 * const timed = createMiddleware({
 *   name: "timed",
 *   async wrapToolCall(call, next) {
 *     const start = performance.now();
 *     const output = await next(call);
 *     console.log(call.name, performance.now() - start);
 *     return output;
 *   },
 * });
 */
export type NextToolCall = (call?: ToolCall) => Promise<ToolOutput>;

/** What a middleware does, where it does something. Every hook may be async. */
export interface MiddlewareOptions<M> {
  /** Names its state, and what it throws. */
  readonly name: string;
  /** The state that a run begins with. It must have a JSON form that checkpoints keep. */
  readonly state?: (() => M) | undefined;
  /** How long the state lives. @default "run" */
  readonly scope?: "run" | "thread" | undefined;
  /** Tools that the agent has besides its own. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Once per turn, before the first step. */
  beforeAgent?(run: AgentRun<M>): void | Promise<void>;
  beforeStep?(run: AgentRun<M>): Maybe<StepChanges>;
  /** Around each call of the model. */
  wrapModelCall?(
    request: ModelRequest,
    next: NextModelCall,
    run: AgentRun<M>,
  ): ModelReply | StreamSource<AgenticMessage> | AgenticMessage | Promise<ModelReply | AgenticMessage>;
  afterModel?(message: AgenticMessage, run: AgentRun<M>): Maybe<ModelChanges>;
  /** Around each call of a tool, streaming or not. */
  wrapToolCall?(
    call: ToolCall,
    next: NextToolCall,
    run: AgentRun<M> & { readonly tool: ToolContext },
  ): ToolOutput | Promise<ToolOutput>;
  /** After a step and its round of tools. */
  afterStep?(step: AgentStep, run: AgentRun<M>): void | Promise<void>;
  /** Once per turn, when it has ended well. */
  afterAgent?(result: AgentResult<unknown>, run: AgentRun<M>): void | Promise<void>;
}

/** What `createMiddleware` gives, for the option `middleware` of an agent. */
export interface Middleware<M = undefined> extends MiddlewareOptions<M> {
  readonly scope: "run" | "thread";
}

/** A middleware of any state. */
export interface AnyMiddleware extends Omit<Middleware<never>, "state"> {
  readonly state?: (() => unknown) | undefined;
}

const hooks = [
  "beforeAgent",
  "beforeStep",
  "wrapModelCall",
  "afterModel",
  "wrapToolCall",
  "afterStep",
  "afterAgent",
] as const satisfies (keyof MiddlewareOptions<never>)[];

/**
 * Makes a middleware: hooks around the steps of an agent, with a state of its own. `before…` hooks run in the order of the
 * list, the first `wrap…` is the outermost, `after…` hooks run in reverse.
 *
 * @example
 * const budget = createMiddleware({
 *   name: "budget",
 *   state: () => ({ calls: 0 }),
 *   wrapModelCall(request, next, run) {
 *     run.state.calls += 1;
 *     return next({ ...request, options: { ...request.options, maxTokens: 500 } });
 *   },
 * });
 */
export function createMiddleware<M = undefined>(options: MiddlewareOptions<M>): Middleware<M> {
  checkNames("createMiddleware", options, ["name", "state", "scope", "tools", ...hooks]);
  const { name, scope = "run", tools } = options;
  if (typeof name !== "string" || name === "") throw invalidMiddleware("name must be a string that is not empty");
  if (scope !== "run" && scope !== "thread") throw invalidMiddleware(`scope of "${name}" must be "run" or "thread"`);
  if (tools !== undefined && !Array.isArray(tools)) throw invalidMiddleware(`tools of "${name}" must be a list`);
  for (const hook of ["state", ...hooks] as const) {
    const given: unknown = options[hook];
    if (given !== undefined && typeof given !== "function") {
      throw invalidMiddleware(`${hook} of "${name}" must be a function`);
    }
  }
  return Object.freeze({ ...options, scope });
}
