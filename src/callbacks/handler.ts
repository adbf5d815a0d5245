import type { StreamReader } from "../schema/stream/reader.js";
import type { RunInfo } from "./run-info.js";

/**
 * Watches runs. Every method is optional, is never awaited, and can never break a run.
 *
 * What a start timing returns is this handler's *span* for that run: the later timings of the run get it as their third
 * argument, and the start timings of what runs inside it get it too. For every handler a run that started ends with
 * exactly one of `onEnd`, `onError` and `onInterrupt`; for a handler with `onEndWithStreamOutput`, the end of a streamed
 * output is the end of its copy.
 *
 * @example
 * const timer: Handler = {
 *   onStart: () => performance.now(),
 *   onEnd: (info, _value, startedAt) => console.log(info.name, performance.now() - (startedAt as number)),
 * };
 */
export interface Handler {
  /** The input is a value, or (for a handler without stream timings) a stream: then the value is `undefined` unless somebody read it whole. */
  onStart?(info: RunInfo, value: unknown, span: unknown): unknown;
  /** The output is complete. A streamed output is given concatenated, unless this handler has `onEndWithStreamOutput`. */
  onEnd?(info: RunInfo, value: unknown, span: unknown): void;
  /** The run failed, was aborted, or its output stream was left early. */
  onError?(info: RunInfo, error: unknown, span: unknown): void;
  /** The run stopped to wait; the value is the interrupt error. */
  onInterrupt?(info: RunInfo, interrupt: unknown, span: unknown): void;
  /** The input is a stream; this handler has a copy of its own, which it may read late, in part or not at all. */
  onStartWithStreamInput?(info: RunInfo, stream: StreamReader<unknown>, span: unknown): unknown;
  /** The output is a stream; this handler has a copy of its own from the first chunk on. */
  onEndWithStreamOutput?(info: RunInfo, stream: StreamReader<unknown>, span: unknown): void;
  /** A side event: progress, retry, repaired arguments, a late result … Never seen by a model. */
  onEvent?(info: RunInfo, event: unknown, span: unknown): void;
}

export type HandlerTiming = keyof Handler;

/** Told about what a handler throws (or rejects with). The default writes to `console.error`. */
export type HandlerErrorListener = (error: unknown, timing: HandlerTiming, info: RunInfo) => void;
