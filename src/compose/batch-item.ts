import { InterruptError } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import { pause } from "../components/pause.js";
import { Context } from "../run/context.js";
import { defaultRetryOn } from "../run/policies/default-retry-on.js";
import { delayAfter } from "../run/policies/retry-delay.js";
import { defaultRuntime } from "./default-runtime.js";
import type { RunOptions } from "./options.js";
import { hasNodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import type { RetrySettings } from "./plan/policy-settings.js";
import type { Runnable } from "./runnable.js";

/** Runs one input of a batch. */
export type RunItem<I, O> = (input: I, options: RunOptions & { readonly signal: AbortSignal }) => Promise<O>;

/** Runs one input, with retries if there is a policy. A run that waits for an answer, or was aborted, is not retried. */
export function batchItem<I, O>(
  runnable: Runnable<I, O>,
  retry: RetrySettings | undefined,
  parent: NodeContext | undefined,
): RunItem<I, O> {
  if (retry === undefined) return (input, options) => runnable.invoke(input, options);
  const runtime = runtimeOf(runnable, parent);
  const retryOn = retry.retryOn ?? defaultRetryOn;
  return async (input, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runnable.invoke(input, options);
      } catch (error) {
        const isOver = attempt >= retry.attempts || options.signal.aborted || InterruptError.is(error);
        const delayMs = isOver || !retryOn(error, { attempt }) ? undefined : delayAfter(error, attempt, retry, runtime);
        if (delayMs === undefined) throw error;
        await pause(delayMs, runtime.clock, options.signal);
      }
    }
  };
}

/** The runtime of the graph that is run, or else of the enclosing node. */
function runtimeOf(runnable: object, parent: NodeContext | undefined): typeof defaultRuntime {
  const body = hasNodeDefinition(runnable) ? runnable[nodeDefinition].body : undefined;
  if (body?.kind === "graph" && body.plan.runtime !== defaultRuntime) return body.plan.runtime;
  return parent instanceof Context ? parent.runtime : defaultRuntime;
}
