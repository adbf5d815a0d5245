import { EventEmitter } from "eventemitter3";
import type { ComponentKind } from "./component-kind.js";
import type { Handler } from "./handler.js";
import type { PayloadOf } from "./payloads.js";
import type { RunInfo } from "./run-info.js";
import type { SideEvent } from "./side-event.js";

/** The values of the events of one kind of run. */
export interface RunMoments<Kind extends ComponentKind> {
  /** The input with which the run starts. */
  readonly start: PayloadOf<Kind>["start"];
  /** The output with which it ends. */
  readonly end: PayloadOf<Kind>["end"];
  /** The error with which it fails. */
  readonly error: unknown;
  /** The interrupt with which it stops. */
  readonly interrupt: unknown;
  /** Side events, beside inputs and outputs. */
  readonly event: SideEvent;
}

/** The second half of an event name: `start`, `end`, `error`, `interrupt` or `event`. */
export type RunMoment = keyof RunMoments<ComponentKind>;

/** The events of a {@link RunEmitter}: `tool:end`, `model:start`, `graph:error` … */
export type RunEvents<Span = unknown> = {
  [Name in `${ComponentKind}:${RunMoment}`]: Name extends `${infer Kind extends ComponentKind}:${infer Moment extends RunMoment}`
    ? (info: RunInfo, value: RunMoments<Kind>[Moment], span: Span | undefined) => void
    : never;
};

/** Options of a {@link RunEmitter}. */
export interface RunEmitterOptions<Span> {
  /** Creates the span of a run. Without it, spans are undefined. */
  readonly startSpan?: ((info: RunInfo, value: unknown, parentSpan: Span | undefined) => Span) | undefined;
}

/**
 * A handler that emits typed events. Streams are joined, and emitted at their end. The third argument of a start event is the span
 * of the enclosing run; of other events, the run's own span.
 *
 * @example
 * const emitter = new RunEmitter();
 * emitter.on("tool:end", (info, { result }) => console.log(info.name, result));
 * await app.invoke(input, { callbacks: [emitter] });
 */
export class RunEmitter<Span = unknown> extends EventEmitter<RunEvents<Span>> implements Handler {
  readonly #startSpan: RunEmitterOptions<Span>["startSpan"];

  constructor({ startSpan }: RunEmitterOptions<Span> = {}) {
    super();
    this.#startSpan = startSpan;
  }

  onStart(info: RunInfo, value: unknown, parentSpan: unknown): unknown {
    const span = this.#startSpan?.(info, value, parentSpan as Span | undefined);
    this.#tell("start", info, value, parentSpan);
    return span;
  }

  onEnd(info: RunInfo, value: unknown, span: unknown): void {
    this.#tell("end", info, value, span);
  }

  onError(info: RunInfo, error: unknown, span: unknown): void {
    this.#tell("error", info, error, span);
  }

  onInterrupt(info: RunInfo, interrupt: unknown, span: unknown): void {
    this.#tell("interrupt", info, interrupt, span);
  }

  onEvent(info: RunInfo, event: unknown, span: unknown): void {
    this.#tell("event", info, event, span);
  }

  #tell(moment: RunMoment, info: RunInfo, value: unknown, span: unknown): void {
    this.emit(`${info.component}:${moment}`, ...([info, value, span] as never));
  }
}
