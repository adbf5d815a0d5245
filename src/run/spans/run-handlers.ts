import type { Handler } from "../../callbacks/handler.js";
import { HandlerList } from "../../callbacks/handler-list.js";
import type { Plan, PlanNode } from "../../compose/plan/plan.js";
import type { Runtime } from "../../compose/runtime.js";
import type { Context } from "../context.js";
import type { NodeCallOptionsTree } from "../options/call-options.js";

/** The handlers of a run in order: inherited ones, then those of the runtime, of `compile` and of the run's options. */
export function handlersOfRun(
  { callbacks: compiled, runtime }: Plan,
  parentContext: Context | undefined,
  given: readonly Handler[] = none,
): HandlerList | undefined {
  const inherited = parentContext?.handlers;
  const fromRuntime = parentContext?.runtime === runtime ? none : runtime.callbacks;
  const isOnlyGiven = fromRuntime.length + compiled.length === 0;
  const own = isOnlyGiven ? given : [...fromRuntime, ...compiled, ...given];
  return inherited === undefined ? HandlerList.of(own, runtime.onHandlerError) : inherited.with(own);
}

const none: readonly Handler[] = [];

/** Whether call options add handlers to a node. */
export function givesHandlers({ callbacks, inside }: NodeCallOptionsTree): boolean {
  if (callbacks !== undefined && callbacks.length > 0) return true;
  for (const inner of inside.values()) if (givesHandlers(inner)) return true;
  return false;
}

/** The parts of a run that decide which handlers a node has. */
interface HandledRun {
  readonly handlers: HandlerList | undefined;
  readonly runtime: Runtime;
  readonly nodeCallOptions: NodeCallOptionsTree | undefined;
  node(index: number): PlanNode;
}

/** The handlers of a node: those of the run, then those added for this node. */
export function handlersAt(run: HandledRun, index: number): HandlerList | undefined {
  const { handlers, runtime } = run;
  const node = run.node(index);
  let more = run.nodeCallOptions?.inside.get(node.key)?.callbacks;
  if (node.body.kind === "graph") {
    const { plan } = node.body;
    const own = plan.runtime === runtime ? plan.callbacks : [...plan.runtime.callbacks, ...plan.callbacks];
    more = more === undefined ? own : [...more, ...own];
  }
  if (more === undefined || more.length === 0) return handlers;
  return handlers === undefined ? HandlerList.of(more, runtime.onHandlerError) : handlers.with(more);
}
