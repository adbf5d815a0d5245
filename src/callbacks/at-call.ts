import type { Handler } from "./handler.js";
import type { Span } from "./span.js";

/** Wraps what starts a run, or with its own span of the run, the function of the run. */
export type AtCall = <Args extends unknown[], Started>(
  start: (...args: Args) => Started,
  span?: unknown,
) => (...args: Args) => Started;

/**
 * A method of handlers, called when a stream is asked for. The run starts later, when the stream is read, maybe elsewhere: the
 * method returns a function that starts it in the surroundings of the call. It is also called with each function of an observed
 * run: then it returns one that runs inside the span of the run.
 */
export const atCall: unique symbol = Symbol.for("kumiko/atCall");

/** Makes `start` run in what handlers keep of this call, or of a span. */
export function startedHere<Args extends unknown[], Started>(
  start: (...args: Args) => Started,
  handlers: readonly (Handler | undefined)[],
  span?: Span,
): (...args: Args) => Started {
  let here = start;
  // a loop: this runs for each node of an observed run, and hardly any handler has the method
  for (let index = 0; index < handlers.length; index++) {
    const wrap = (handlers[index] as { readonly [atCall]?: AtCall } | undefined)?.[atCall];
    if (wrap === undefined) continue;
    here = wrap.call<unknown, [typeof start, unknown], typeof start>(handlers[index], here, span?.handlerSpanOf(index));
  }
  return here;
}
