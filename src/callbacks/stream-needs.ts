import type { Joining } from "../schema/concat/rule.js";
import type { Handler } from "./handler.js";
import type { RunInfo } from "./run-info.js";
import type { StreamSink } from "./stream-copy.js";

export type StreamTiming = "onStartWithStreamInput" | "onEndWithStreamOutput";

/** On handlers of ours that take streams from some runs only; from the others they get values. */
export const takesStreamOf: unique symbol = Symbol("kumiko/takesStreamOf");

export interface SelectiveHandler extends Handler {
  [takesStreamOf](timing: StreamTiming, info: RunInfo): boolean;
}

/** On handlers of ours that are told each chunk of the outputs as it passes: a call per chunk, instead of a copy and its reads. */
export const openSink: unique symbol = Symbol("kumiko/openSink");

export interface SinkHandler extends Handler {
  [openSink](info: RunInfo, joining: Joining | undefined): StreamSink<unknown>;
}

export function isSinkHandler(handler: Handler): handler is SinkHandler {
  return openSink in handler;
}

/** Whether this handler gets a copy of its own from this run. */
export function takesStream(handler: Handler, timing: StreamTiming, info: RunInfo): boolean {
  if (timing === "onEndWithStreamOutput" && isSinkHandler(handler)) return true;
  if (handler[timing] === undefined) return false;
  return !isSelective(handler) || handler[takesStreamOf](timing, info);
}

function isSelective(handler: Handler): handler is SelectiveHandler {
  return takesStreamOf in handler;
}
