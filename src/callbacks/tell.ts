import { isPromiseLike } from "../is.js";
import type { Handler, HandlerTiming } from "./handler.js";
import { reportHandlerError } from "./handler-error.js";
import type { HandlerList } from "./handler-list.js";
import type { RunInfo } from "./run-info.js";

/** Calls `onStart` of one handler and returns its span. */
export function tellStart(
  handler: Handler,
  handlers: HandlerList,
  info: RunInfo,
  value: unknown,
  parentSpan: unknown,
): unknown {
  try {
    const span = handler.onStart?.(info, value, parentSpan);
    if (typeof span === "object") guard(span, "onStart", handlers, info);
    return span;
  } catch (error) {
    reportHandlerError(handlers.onHandlerError, error, "onStart", info);
    return undefined;
  }
}

/** Calls `onEnd` of one handler. */
export function tellEnd(handler: Handler, handlers: HandlerList, info: RunInfo, value: unknown, span: unknown): void {
  try {
    const returned: unknown = handler.onEnd?.(info, value, span);
    if (typeof returned === "object") guard(returned, "onEnd", handlers, info);
  } catch (error) {
    reportHandlerError(handlers.onHandlerError, error, "onEnd", info);
  }
}

/** Reports the rejection of a promise that a handler returned. The promise is not awaited. */
export function guard(returned: unknown, timing: HandlerTiming, { onHandlerError }: HandlerList, info: RunInfo): void {
  if (!isPromiseLike(returned)) return;
  returned.then(undefined, (error) => reportHandlerError(onHandlerError, error, timing, info));
}
