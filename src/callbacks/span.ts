import { KumikoError } from "../errors.js";
import { isPromiseLike } from "../is.js";
import type { Joining } from "../schema/concat/rule.js";
import { leftEarly } from "../schema/errors.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type StreamHooks, tapSource } from "../schema/stream/tap.js";
import type { Handler, HandlerTiming } from "./handler.js";
import { reportHandlerError } from "./handler-error.js";
import type { HandlerList } from "./handler-list.js";
import type { RunInfo } from "./run-info.js";
import { copyHooks, StreamCopy, type StreamSink } from "./stream-copy.js";
import { isSinkHandler, openSink, type StreamTiming, takesStream } from "./stream-needs.js";
import { type ChunkPayload, joiningOfCopy, StreamedOutput } from "./streamed-output.js";
import { guard, tellEnd, tellStart } from "./tell.js";

/**
 * One observed run of a graph, a node or a tool call. Notifies each handler once of its start and once of its end.
 *
 * A run that was not started is not reported. Of `end`, `error` and `interrupt` the first call counts; later ones do nothing.
 */
export class Span {
  readonly handlers: HandlerList;
  readonly info: RunInfo;
  private state: "new" | "open" | "ended" | "skipped";
  /** The span of a single handler, or the array of spans of several. Before the start these are the parent's. */
  private handlerSpans: unknown;
  /** The handlers' copies of streams, which fail together with the run. */
  private copies: StreamSink<unknown>[] | undefined;
  /** Links between open runs: each knows its parent, a parent knows its first open child, and siblings form a ring. */
  private parent: Span | undefined;
  private child: Span | undefined;
  private next: Span;
  private previous: Span;

  /** The parent must have started, and its handlers must be the same or the first of these. */
  constructor(handlers: HandlerList, info: RunInfo, parent: Span | undefined) {
    this.handlers = handlers;
    this.info = info;
    this.state = "new";
    this.handlerSpans = parent === undefined ? undefined : parent.handlerSpansFor(handlers);
    this.copies = undefined;
    this.parent = undefined;
    this.child = undefined;
    this.next = this;
    this.previous = this;
    if (parent !== undefined) this.linkInto(parent);
  }

  get closed(): boolean {
    return this.state === "ended" || this.state === "skipped";
  }

  start(value: unknown): void {
    if (this.state !== "new") return;
    this.state = "open";
    const { only } = this.handlers;
    if (only === undefined) this.startAll(value);
    else this.handlerSpans = tellStart(only, this.handlers, this.info, value, this.handlerSpans);
  }

  /** Ends the run. Children that are still open stay open. */
  end(value: unknown): void {
    const { only } = this.handlers;
    if (only === undefined || this.child !== undefined || this.copies !== undefined) this.endAll(value);
    else if (this.close()) tellEnd(only, this.handlers, this.info, value, this.handlerSpans);
  }

  /** Ends the run with an error. Open children are aborted first, with the same error. */
  error(error: unknown): void {
    const wasOpen = this.close();
    this.abortInside(error);
    if (this.copies !== undefined) this.failCopies(error);
    if (wasOpen) this.callEach("onError", error);
  }

  interrupt(interrupt: unknown): void {
    this.abortInside(interrupt);
    if (!this.finish()) return;
    if (this.copies !== undefined) this.failCopies(interrupt);
    this.callEach("onInterrupt", interrupt);
  }

  /** Sends a side event, also after the end, because something may be late. */
  event(event: unknown): void {
    if (this.state === "open" || this.state === "ended") this.callEach("onEvent", event);
  }

  /** Ends this run and every open one inside it with `onError`, the innermost first. */
  abort(reason: unknown): void {
    this.error(reason);
  }

  /** Ends every open run inside this one with `onError`, the innermost first. This run stays open. */
  abortInside(reason: unknown): void {
    while (this.child !== undefined) this.child.fail(reason);
  }

  /**
   * Starts a run whose input is a stream; the run must read the returned stream. Handlers that take streams get a copy of what
   * the run reads, the others get no value.
   */
  inputStream<T>(stream: StreamReader<T>): StreamReader<T> {
    if (this.state !== "new") return stream;
    this.state = "open";
    const copies: StreamSink<unknown>[] = [];
    const spans = this.handlers.items.map((handler, index) => {
      const parentSpan = this.handlerSpanOf(index);
      const isSink = isSinkHandler(handler);
      if (isSink || !takesStream(handler, "onStartWithStreamInput", this.info)) {
        const span = tellStart(handler, this.handlers, this.info, undefined, parentSpan);
        const sink = isSink ? handler[openSink](this.info, stream.joining, span, true) : undefined;
        if (sink !== undefined) copies.push(sink);
        return span;
      }
      const copy = new StreamCopy<unknown>();
      copies.push(copy);
      return this.callWithStream(handler, "onStartWithStreamInput", copy, stream.joining, parentSpan);
    });
    this.handlerSpans = this.handlers.only === undefined ? spans : spans[0];
    if (copies.length === 0) return stream;
    this.copies = copies;
    return new StreamReader(tapSource(stream.takeSource(), copyHooks(copies)), stream.joining);
  }

  /**
   * Observes a streamed output; the reader must use the returned stream. The run ends when the stream ends, fails or is left.
   * `payload` converts a chunk, or the joined value, to what handlers see.
   */
  outputStream<T>(stream: StreamReader<T>, payload?: ChunkPayload): StreamReader<T> {
    if (this.state !== "open") return stream;
    const output = this.streamedOutput(stream.joining, payload);
    const source = stream.takeSource();
    return new StreamReader(tapSource(source, output), stream.joining);
  }

  /** Like `outputStream`, for a source that calls hooks itself; `undefined` if a handler needs the joined value. */
  outputHooks(joining: Joining | undefined): StreamHooks<unknown> | undefined {
    const output = this.streamedOutput(joining);
    return output.wantsValue ? undefined : output;
  }

  private streamedOutput(joining: Joining | undefined, payload?: ChunkPayload): StreamedOutput {
    const takers = this.takers("onEndWithStreamOutput");
    const takesValue = (handler: Handler): boolean => handler.onEnd !== undefined && !takers.includes(handler);
    const copyJoining = joiningOfCopy(joining, payload);
    return new StreamedOutput(
      {
        isOver: () => this.closed,
        wantsValue: this.handlers.items.some(takesValue),
        openCopies: takers.length === 0 ? undefined : () => this.openOutputCopies(copyJoining),
        end: (value) => this.endStream(value),
        fail: (error) => this.fail(error),
      },
      joining,
      payload,
    );
  }

  private openOutputCopies(joining: Joining | undefined): readonly StreamSink<unknown>[] {
    const copies: StreamSink<unknown>[] = [];
    for (const [index, handler] of this.handlers.items.entries()) {
      if (!takesStream(handler, "onEndWithStreamOutput", this.info)) continue;
      if (isSinkHandler(handler)) {
        const sink = handler[openSink](this.info, joining, this.handlerSpanOf(index));
        if (sink !== undefined) copies.push(sink);
        continue;
      }
      const copy = new StreamCopy<unknown>();
      copies.push(copy);
      this.callWithStream(handler, "onEndWithStreamOutput", copy, joining, this.handlerSpanOf(index));
    }
    this.copies = this.copies === undefined ? copies : [...this.copies, ...copies];
    return copies;
  }

  /** Ends a run with a streamed output. For handlers with a copy, the end of the copy is the end. */
  private endStream(value: unknown): void {
    if (!this.finish()) return;
    if (this.copies !== undefined) this.failCopies(undefined);
    for (const [index, handler] of this.handlers.items.entries()) {
      if (!takesStream(handler, "onEndWithStreamOutput", this.info)) this.tellEnd(handler, value, index);
    }
  }

  /** Ends the run with an error or an interrupt. */
  fail(error: unknown): void {
    if (KumikoError.is(error) && error.code === "INTERRUPTED") this.interrupt(error);
    else this.error(error);
  }

  private startAll(value: unknown): void {
    const { info, handlers } = this;
    this.handlerSpans = handlers.items.map((handler, index) =>
      tellStart(handler, handlers, info, value, this.handlerSpanOf(index)),
    );
  }

  private endAll(value: unknown): void {
    if (!this.finish()) return;
    if (this.copies !== undefined) this.failCopies(undefined);
    for (const [index, handler] of this.handlers.items.entries()) this.tellEnd(handler, value, index);
  }

  private tellEnd(handler: Handler, value: unknown, index: number): void {
    tellEnd(handler, this.handlers, this.info, value, this.handlerSpanOf(index));
  }

  private callWithStream(
    handler: Handler,
    timing: StreamTiming,
    copy: StreamCopy<unknown>,
    joining: Joining | undefined,
    span: unknown,
  ): unknown {
    try {
      const returned: unknown = handler[timing]?.(this.info, new StreamReader(copy.source(), joining), span);
      if (isPromiseLike(returned)) {
        returned.then(undefined, (error) => copy.failedWith(error) || this.report(error, timing));
      }
      return returned;
    } catch (error) {
      this.report(error, timing);
      return undefined;
    }
  }

  private callEach(timing: "onError" | "onInterrupt" | "onEvent", value: unknown): void {
    for (const [index, handler] of this.handlers.items.entries()) {
      try {
        guard(handler[timing]?.(this.info, value, this.handlerSpanOf(index)), timing, this.handlers, this.info);
      } catch (error) {
        this.report(error, timing);
      }
    }
  }

  private takers(timing: StreamTiming): readonly Handler[] {
    return this.handlers.items.filter((handler) => takesStream(handler, timing, this.info));
  }

  /** What a handler has returned at the start of the run. */
  handlerSpanOf(index: number): unknown {
    const { handlerSpans: span } = this;
    if (this.handlers.only !== undefined) return span;
    return Array.isArray(span) ? span[index] : undefined;
  }

  /** The spans of this run, as a child with these handlers stores them. */
  handlerSpansFor(handlers: HandlerList): unknown {
    return this.handlers.only !== undefined && handlers.only === undefined ? [this.handlerSpans] : this.handlerSpans;
  }

  private report(error: unknown, timing: HandlerTiming): void {
    reportHandlerError(this.handlers.onHandlerError, error, timing, this.info);
  }

  /** Closes without a failure: open children become children of the parent. */
  private finish(): boolean {
    const { parent } = this;
    const wasOpen = this.close();
    if (this.child !== undefined) this.handOver(parent);
    return wasOpen;
  }

  /** Fails the copies of streams that were not read to their end. */
  private failCopies(error: unknown): void {
    for (const copy of this.copies ?? []) if (copy.isOpen) copy.fail(leftEarly(error));
    this.copies = undefined;
  }

  /** Closes the run and returns whether it was open. A run that had not started is not reported. */
  private close(): boolean {
    const { state } = this;
    if (state === "open") this.state = "ended";
    else if (state === "new") this.state = "skipped";
    if (this.parent !== undefined) this.unlinkFrom(this.parent);
    return state === "open";
  }

  /** Links this run to its parent, unless the parent has ended. */
  private linkInto(parent: Span): void {
    if (parent.closed) return;
    this.parent = parent;
    const first = parent.child;
    if (first === undefined) {
      parent.child = this;
      return;
    }
    const last = first.previous;
    this.previous = last;
    this.next = first;
    last.next = this;
    first.previous = this;
  }

  private unlinkFrom(parent: Span): void {
    const { next, previous } = this;
    this.parent = undefined;
    if (next === this) {
      parent.child = undefined;
      return;
    }
    if (parent.child === this) parent.child = next;
    previous.next = next;
    next.previous = previous;
    this.next = this;
    this.previous = this;
  }

  private handOver(parent: Span | undefined): void {
    while (this.child !== undefined) {
      const { child } = this;
      child.unlinkFrom(this);
      if (parent !== undefined) child.linkInto(parent);
    }
  }
}
