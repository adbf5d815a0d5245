import type { NodeContext } from "../components/context.js";
import { RequestContext } from "../components/request-context.js";
import { firstInvocation } from "../components/resume-info.js";
import { outsideRun } from "./errors.js";

/** The context for calling a nested component: the caller's context with other options, or one outside of any run. */
export function contextFor<Options>(
  ctx: NodeContext<unknown, unknown> | undefined,
  options: Options,
  signal?: AbortSignal,
): NodeContext<unknown, Options> {
  if (ctx === undefined) return loneContext(options, signal ?? new AbortController().signal);
  return ctx.with(signal === undefined ? { options } : { options, signal }) as NodeContext<unknown, Options>;
}

/** The context of a component called outside of a run. It has a signal, but cannot interrupt or ask. */
function loneContext<Options>(options: Options, signal: AbortSignal): NodeContext<unknown, Options> {
  const context: NodeContext<unknown, Options> = {
    options,
    signal,
    requestContext: new RequestContext(),
    state: undefined,
    address: "",
    taskKey: "",
    resume: firstInvocation,
    runInfo: { runId: "", parentRunId: undefined, name: "", type: "", component: "lambda", address: "" },
    attempt: 1,
    heartbeat: () => undefined,
    progress: () => undefined,
    processState: () => Promise.reject(outsideRun("processState")),
    ask: () => Promise.reject(outsideRun("ask")),
    interrupt: () => {
      throw outsideRun("interrupt");
    },
    once: async (_key, work) => work(),
    with: (fields) => ({ ...context, ...fields }),
  };
  return context;
}
