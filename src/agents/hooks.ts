import { causedByInterrupt } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import type { ToolCall } from "../tools/node/middleware.js";
import type { AgentRun } from "./agent-context.js";
import type { AnyMiddleware, NextToolCall } from "./create-middleware.js";
import { hookFailed, stateNotJson } from "./errors.js";
import { type Turn, turnAround } from "./turn.js";

type Hook = "beforeAgent" | "beforeStep" | "wrapModelCall" | "afterModel" | "wrapToolCall" | "afterStep" | "afterAgent";

/** The middlewares of the agent that answers now which have a hook, in their order. */
export function middlewaresWith(turn: Turn, hook: Hook): readonly AnyMiddleware[] {
  const { middleware } = turn.parts;
  // most have only some hooks, and a step asks for each of them
  for (const one of middleware)
    if (one[hook] !== undefined) return middleware.filter((each) => each[hook] !== undefined);
  return none;
}

const none: readonly AnyMiddleware[] = [];

/** The same for hooks that run in the reversed order. */
export function middlewaresBackWith(turn: Turn, hook: Hook): readonly AnyMiddleware[] {
  const found = middlewaresWith(turn, hook);
  return found.length < 2 ? found : found.toReversed();
}

/** Runs one hook of one middleware: with its state, and under its name if it fails. */
export async function runHook<T>(
  turn: Turn,
  middleware: AnyMiddleware,
  hook: Hook,
  ctx: NodeContext,
  work: (run: AgentRun<never>) => T | Promise<T>,
): Promise<T> {
  try {
    return await work(runOf(turn, middleware, ctx));
  } catch (error) {
    throw isOurs(error, ctx) ? error : hookFailed(middleware.name, hook, error);
  } finally {
    if (middleware.state !== undefined) checkState(turn, middleware, hook);
  }
}

/** The run as a middleware sees it. */
export function runOf(turn: Turn, { name, state }: AnyMiddleware, ctx: NodeContext): AgentRun<never> {
  const { middleware } = turn.state;
  if (state !== undefined && !Object.hasOwn(middleware, name)) middleware[name] = turn.call.kept?.[name] ?? state();
  return Object.defineProperty(turn.run(ctx), "state", {
    enumerable: true,
    get: () => middleware[name],
    set: (value: unknown) => {
      middleware[name] = value;
    },
  });
}

/** Around one call of a tool. */
export async function runToolHook(
  middleware: AnyMiddleware,
  call: ToolCall,
  ctx: ToolContext,
  next: NextToolCall,
): Promise<ToolOutput> {
  const turn = turnAround(ctx);
  const { wrapToolCall } = middleware;
  if (turn === undefined || wrapToolCall === undefined) return next();
  const passed: { error?: unknown } = {};
  const inner: NextToolCall = async (changed) => {
    try {
      return await next(changed);
    } catch (error) {
      passed.error = error;
      throw error;
    }
  };
  try {
    const run = Object.assign(Object.create(runOf(turn, middleware, ctx)), { tool: ctx });
    return await wrapToolCall.call(middleware, call, inner, run);
  } catch (error) {
    throw error === passed.error || isOurs(error, ctx) ? error : hookFailed(middleware.name, "wrapToolCall", error);
  } finally {
    if (middleware.state !== undefined) checkState(turn, middleware, "wrapToolCall");
  }
}

/** A stop is not a failure of the hook that it went through. */
function isOurs(error: unknown, ctx: NodeContext): boolean {
  return causedByInterrupt(error) || (ctx.signal.aborted && error === ctx.signal.reason);
}

function checkState(turn: Turn, { name }: AnyMiddleware, hook: Hook): void {
  try {
    structuredClone(turn.state.middleware[name]);
  } catch (cause) {
    throw stateNotJson(name, hook, cause);
  }
}
