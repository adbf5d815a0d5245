import type { Handler } from "../callbacks/handler.js";
import { HandlerList } from "../callbacks/handler-list.js";
import type { Plan, PlanNode } from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import type { NodeCallOptionsTree } from "./call-options.js";
import type { Context } from "./context.js";

/** The handlers of a run of its own, in order: what is around it, runtime, compile, run. */
export function handlersOfRun(
  { callbacks: compiled, runtime }: Plan,
  parentContext: Context | undefined,
  given: readonly Handler[] = none,
): HandlerList | undefined {
  const inherited = parentContext?.handlers;
  const fromRuntime = parentContext?.runtime === runtime ? none : runtime.callbacks;
  const isAll = fromRuntime.length + compiled.length === 0;
  const own = isAll ? given : [...fromRuntime, ...compiled, ...given];
  return inherited === undefined ? HandlerList.of(own, runtime.onHandlerError) : inherited.with(own);
}

const none: readonly Handler[] = [];

/** Whether the options of a run give handlers to some of its nodes. */
export function givesHandlers({ callbacks, inside }: NodeCallOptionsTree): boolean {
  if (callbacks !== undefined && callbacks.length > 0) return true;
  for (const inner of inside.values()) if (givesHandlers(inner)) return true;
  return false;
}

/** What of a run decides which handlers a node has. */
interface HandledRun {
  readonly handlers: HandlerList | undefined;
  readonly runtime: Runtime;
  readonly nodeCallOptions: NodeCallOptionsTree | undefined;
  node(index: number): PlanNode;
}

/** The handlers of a node, with those that were given for it alone. */
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
