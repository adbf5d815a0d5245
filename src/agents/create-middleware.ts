import { checkOptions } from "../check-options.js";
import type { ToolChoice } from "../components/model.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import type { Model } from "../models/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { ToolCall } from "../tools/node/middleware.js";
import type { AgentRun } from "./agent-context.js";
import type { AgentResult, AgentStep } from "./agent-result.js";
import type { AgentModelOptions } from "./call-options.js";
import { invalidMiddleware } from "./errors.js";
import type { ModelReply, ModelRequest } from "./model-request.js";

/** A hook can return a value, or nothing. @internal */
export type Maybe<T> = T | undefined | void | Promise<T | undefined> | Promise<void>;

/**
 * The changes that `beforeStep` can make. Everything except `messages` applies to this step only.
 *
 * @example
 * const careful = createMiddleware({
 *   name: "careful",
 *   beforeStep: ({ steps }) => (steps.length > 5 ? { model: openai("gpt-5"), tools: ["get_weather"] } : undefined),
 * });
 */
export interface StepChanges {
  /** The conversation as the model sees it from now on. */
  readonly messages?: readonly AgenticMessage[] | undefined;
  /** The instructions for this step, in place of those of the agent. */
  readonly instructions?: string | readonly AgenticMessage[] | undefined;
  /** The model for this step, also one of the AI SDK. */
  readonly model?: Model | undefined;
  /** More instructions for this step, after all others: each middleware adds its own, in the order of the middlewares. */
  readonly addInstructions?: string | readonly AgenticMessage[] | undefined;
  /** Names of the agent's tools, or other tools. */
  readonly tools?: readonly string[] | readonly AnyTool[] | undefined;
  /** Names of tools that are not offered in this step, whatever other middlewares choose. */
  readonly hideTools?: readonly string[] | undefined;
  /** Whether the model must call a tool, and which. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Call options for the model, merged over those of the agent. */
  readonly options?: AgentModelOptions | undefined;
}

/**
 * The changes that `afterModel` can make.
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
  /** Asks the model again (not after the last step), or ends the run; open calls become `not_executed`. */
  readonly jumpTo?: "model" | "end" | undefined;
}

/**
 * Calls the next middleware, or returns the reply of the model, which is asked when the reply is read. You can call it more than
 * once, each time for another answer.
 */
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

/** How long the state of a middleware lives: one turn, as long as the thread, or as long as the user. */
export type StateScope = "run" | "thread" | "user";

/** Options of `createMiddleware`. All hooks are optional, and can be async. */
export interface MiddlewareOptions<M> {
  /** Identifies the state of the middleware, and appears in its errors. */
  readonly name: string;
  /** Returns the initial state of a run. It must be JSON that checkpoints can save. */
  readonly state?: (() => M) | undefined;
  /**
   * How long the state lives. With `"user"`, it is kept with the user of the call, in all threads: the call needs a `userId`
   * (else `NO_USER`), and the agent a store. @default "run"
   */
  readonly scope?: StateScope | undefined;
  /** Tools that the middleware adds to the agent. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Once per turn, before the first step; where an agent is handed over to, before its first step of the turn. */
  beforeAgent?(run: AgentRun<M>): void | Promise<void>;
  /** Before each step. Throws if what it returns has an unknown field. */
  beforeStep?(run: AgentRun<M>): Maybe<StepChanges>;
  /** Around each answer; retries and fallbacks are inside. Throws if it does not return a reply, a stream or a message. */
  wrapModelCall?(
    request: ModelRequest,
    next: NextModelCall,
    run: AgentRun<M>,
  ): ModelReply | StreamSource<AgenticMessage> | AgenticMessage | Promise<ModelReply | AgenticMessage>;
  /** After each whole answer, before its tools run. Throws if what it returns has an unknown field. */
  afterModel?(message: AgenticMessage, run: AgentRun<M>): Maybe<ModelChanges>;
  /**
   * Around each call of a tool. For a streaming tool, `next` resolves to the whole output, which then arrives in one piece. If
   * the hook throws, the call fails as if the tool had thrown.
   */
  wrapToolCall?(
    call: ToolCall,
    next: NextToolCall,
    run: AgentRun<M> & { readonly tool: ToolContext },
  ): ToolOutput | Promise<ToolOutput>;
  /** After a step and its tool calls. */
  afterStep?(step: AgentStep, run: AgentRun<M>): void | Promise<void>;
  /** Once per turn, when it has completed; not after a failure or an abort. After a handoff, that of the last agent. */
  afterAgent?(result: AgentResult<unknown>, run: AgentRun<M>): void | Promise<void>;
}

/** The return value of `createMiddleware`, for the option `middleware` of an agent. */
export interface Middleware<M = undefined> extends MiddlewareOptions<M> {
  readonly scope: StateScope;
}

/** A middleware with any state. */
export interface AnyMiddleware extends Omit<Middleware<never>, "state"> {
  /** Creates the initial state. */
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
 * Creates a middleware: hooks around the steps of an agent, with its own state. `before…` hooks run in the order of the
 * array, the first `wrap…` hook is the outermost, and `after…` hooks run in reverse order.
 *
 * @example
 * const budget = createMiddleware({
 *   name: "budget",
 *   state: () => ({ calls: 0 }),
 *   wrapModelCall(request, next, run) {
 *     run.state.calls += 1;
 *     return next({ ...request, options: { ...request.options, maxOutputTokens: 500 } });
 *   },
 * });
 */
export function createMiddleware<M = undefined>(options: MiddlewareOptions<M>): Middleware<M> {
  checkOptions("createMiddleware", options, ["name", "state", "scope", "tools", ...hooks]);
  const { name, scope = "run", tools } = options;
  if (typeof name !== "string" || name === "") throw invalidMiddleware("name must be a string that is not empty");
  if (!isScope(scope)) throw invalidMiddleware(`scope of "${name}" must be "run", "thread" or "user"`);
  if (tools !== undefined && !Array.isArray(tools)) throw invalidMiddleware(`tools of "${name}" must be a list`);
  for (const hook of ["state", ...hooks] as const) {
    const given: unknown = options[hook];
    if (given !== undefined && typeof given !== "function") {
      throw invalidMiddleware(`${hook} of "${name}" must be a function`);
    }
  }
  return Object.freeze({ ...options, scope });
}

/** Whether a value is one of the scopes of a state. */
export function isScope(scope: unknown): scope is StateScope {
  return scope === "run" || scope === "thread" || scope === "user";
}

const optionalUser: unique symbol = Symbol("optional user");

/** A middleware that keeps its state for the user, and does without where the call names none. */
export function withOptionalUser<M>(middleware: Middleware<M>): Middleware<M> {
  return Object.freeze({ ...middleware, [optionalUser]: true });
}

export function isUserOptional(middleware: AnyMiddleware): boolean {
  return optionalUser in middleware;
}
