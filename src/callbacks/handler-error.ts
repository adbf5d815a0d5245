import { isPromiseLike } from "../is.js";
import type { HandlerErrorListener, HandlerTiming } from "./handler.js";
import type { RunInfo } from "./run-info.js";

/** Reports a handler's error to the listener. If the listener itself throws or rejects, that is printed by `console.error`. */
export function reportHandlerError(
  listener: HandlerErrorListener,
  error: unknown,
  timing: HandlerTiming,
  info: RunInfo,
): void {
  try {
    const returned: unknown = listener(error, timing, info);
    if (isPromiseLike(returned)) returned.then(undefined, reportListenerError);
  } catch (listenerError) {
    reportListenerError(listenerError);
  }
}

function reportListenerError(error: unknown): void {
  console.error("onHandlerError itself failed:", error);
}
