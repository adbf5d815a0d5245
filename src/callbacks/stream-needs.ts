import type { Joining } from "../schema/concat/rule.js";
import type { Handler } from "./handler.js";
import type { RunInfo } from "./run-info.js";
import type { StreamSink } from "./stream-copy.js";

export type StreamTiming = "onStartWithStreamInput" | "onEndWithStreamOutput";

/** A method of internal handlers that take streams from some runs only; from others they get values. */
export const takesStreamOf: unique symbol = Symbol("kumiko/takesStreamOf");

export interface SelectiveHandler extends Handler {
  [takesStreamOf](timing: StreamTiming, info: RunInfo): boolean;
}

/**
 * A method of internal handlers that receive each chunk of an output as it passes, by a call instead of a copy. It is called for a
 * streamed input too, after `onStart`; without a sink for that, the handler gets no input.
 */
export const openSink: unique symbol = Symbol("kumiko/openSink");

export interface SinkHandler extends Handler {
  [openSink](
    info: RunInfo,
    joining: Joining | undefined,
    span: unknown,
    isInput?: boolean,
  ): StreamSink<unknown> | undefined;
}

export function isSinkHandler(handler: Handler): handler is SinkHandler {
  return openSink in handler;
}

/** Whether a handler gets a stream from a run. */
export function takesStream(handler: Handler, timing: StreamTiming, info: RunInfo): boolean {
  if (isSinkHandler(handler)) return true;
  if (handler[timing] === undefined) return false;
  return !isSelective(handler) || handler[takesStreamOf](timing, info);
}

function isSelective(handler: Handler): handler is SelectiveHandler {
  return takesStreamOf in handler;
}
