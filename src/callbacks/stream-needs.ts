import type { Handler } from "./handler.js";
import type { RunInfo } from "./run-info.js";

export type StreamTiming = "onStartWithStreamInput" | "onEndWithStreamOutput";

/** On handlers of ours that take streams from some runs only; from the others they get values. */
export const takesStreamOf: unique symbol = Symbol("kumiko/takesStreamOf");

export interface SelectiveHandler extends Handler {
  [takesStreamOf](timing: StreamTiming, info: RunInfo): boolean;
}

/** Whether this handler gets a copy of its own from this run. */
export function takesStream(handler: Handler, timing: StreamTiming, info: RunInfo): boolean {
  if (handler[timing] === undefined) return false;
  return !isSelective(handler) || handler[takesStreamOf](timing, info);
}

function isSelective(handler: Handler): handler is SelectiveHandler {
  return takesStreamOf in handler;
}
