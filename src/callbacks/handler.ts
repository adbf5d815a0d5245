import type { StreamReader } from "../schema/stream/reader.js";
import type { RunInfo } from "./run-info.js";

/**
 * Observes runs. Every method is optional and never awaited, and its errors never break a run.
 *
 * The return value of a start timing is this handler's *span* for that run. Later timings of the run, and the start timings of
 * runs inside it, get the span as their third argument. Each run that started ends with exactly one of `onEnd`, `onError` and
 * `onInterrupt`; for a handler with `onEndWithStreamOutput`, a streamed output ends with the end of its copy of the stream.
 *
 * @example
 * const timer: Handler = {
 *   onStart: () => performance.now(),
 *   onEnd: (info, _value, startedAt) => console.log(info.name, performance.now() - (startedAt as number)),
 * };
 */
export interface Handler {
  /** The run starts with a value. For a handler without stream timings the input may be a stream: then the value is `undefined`, unless the run joins the stream itself. */
  onStart?(info: RunInfo, value: unknown, span: unknown): unknown;
  /** The output is complete. A streamed output is concatenated, unless this handler has `onEndWithStreamOutput`. */
  onEnd?(info: RunInfo, value: unknown, span: unknown): void;
  /** The run failed, was aborted, or its output stream was left early. */
  onError?(info: RunInfo, error: unknown, span: unknown): void;
  /** The run paused; `interrupt` is the `InterruptError`. */
  onInterrupt?(info: RunInfo, interrupt: unknown, span: unknown): void;
  /** The run starts with a stream. The handler gets its own copy, which it may read late, in part or not at all. */
  onStartWithStreamInput?(info: RunInfo, stream: StreamReader<unknown>, span: unknown): unknown;
  /** The output is a stream. The handler gets its own copy at the first chunk. */
  onEndWithStreamOutput?(info: RunInfo, stream: StreamReader<unknown>, span: unknown): void;
  /** A side event, such as progress, a retry or a late result. Side events never reach a model. */
  onEvent?(info: RunInfo, event: unknown, span: unknown): void;
}

/** The name of a method of a {@link Handler}. */
export type HandlerTiming = keyof Handler;

/** Called when a handler throws or rejects. The default writes to `console.error`. */
export type HandlerErrorListener = (error: unknown, timing: HandlerTiming, info: RunInfo) => void;
