import type { Handler } from "./handler.js";

/** Wraps what starts a run. */
export type AtCall = <Args extends unknown[], Started>(start: (...args: Args) => Started) => (...args: Args) => Started;

/**
 * A method of handlers, called when a stream is asked for. The run starts later, when the stream is read, maybe elsewhere: the
 * method returns a function that starts it in the surroundings of the call.
 */
export const atCall: unique symbol = Symbol.for("kumiko/atCall");

/** Makes `start` run in what handlers keep of this call. */
export function startedHere<Args extends unknown[], Started>(
  start: (...args: Args) => Started,
  ...handlers: readonly (readonly Handler[] | undefined)[]
): (...args: Args) => Started {
  let here = start;
  for (const handler of handlers.flat()) {
    const wrap = (handler as { readonly [atCall]?: AtCall } | undefined)?.[atCall];
    if (wrap !== undefined) here = wrap.call<unknown, [typeof start], typeof start>(handler, here);
  }
  return here;
}
