import type { Handler, HandlerTiming } from "./handler.js";
import { isThenable, reportHandlerError } from "./handler-error.js";
import type { RunInfo } from "./run-info.js";
import type { Watchers } from "./watchers.js";

/**
 * One observed run of a graph, a node or a tool call: tells the handlers, once each, how it starts and how it ends.
 *
 * Nothing is heard of a run that was not started. The first of `end`, `error` and `interrupt` counts; what comes later
 * does nothing.
 */
export class Watch {
  readonly watchers: Watchers;
  readonly info: RunInfo;
  private state: "new" | "open" | "closed";
  /** The span of the only handler, or the list of spans of several: until the start the parent's, then its own. */
  private span: unknown;
  /** Open runs hang together: each knows the run around it, that one its first open child, and these are in a ring. */
  private parent: Watch | undefined;
  private child: Watch | undefined;
  private next: Watch;
  private previous: Watch;

  /** The parent has the same handlers, or the first few of them. */
  constructor(watchers: Watchers, info: RunInfo, parent: Watch | undefined) {
    this.watchers = watchers;
    this.info = info;
    this.state = "new";
    this.span = parent === undefined ? undefined : parent.spanFor(watchers);
    this.parent = undefined;
    this.child = undefined;
    this.next = this;
    this.previous = this;
    if (parent !== undefined) this.linkInto(parent);
  }

  get closed(): boolean {
    return this.state === "closed";
  }

  start(value: unknown): void {
    if (this.state !== "new") return;
    this.state = "open";
    const { only, handlers, hasStart } = this.watchers;
    if (only !== undefined) this.span = hasStart ? this.callStart(only, value, this.span) : undefined;
    else this.span = handlers.map((handler, index) => this.callStart(handler, value, this.spanOf(index)));
  }

  /** Children that are still open stay so, and end by themselves. */
  end(value: unknown): void {
    if (!this.finish()) return;
    const { only, handlers, hasEnd } = this.watchers;
    if (!hasEnd) return;
    if (only !== undefined) this.callEnd(only, value, this.span);
    else for (let index = 0; index < handlers.length; index++) this.callEnd(handlers[index], value, this.spanOf(index));
  }

  /** Children that are still open are aborted first, with the same error. */
  error(error: unknown): void {
    const wasOpen = this.close();
    while (this.child !== undefined) this.child.error(error);
    if (wasOpen && this.watchers.hasError) this.callEach("onError", error);
  }

  interrupt(interrupt: unknown): void {
    if (this.finish() && this.watchers.hasInterrupt) this.callEach("onInterrupt", interrupt);
  }

  /** Also heard after the end: something may be late. */
  event(event: unknown): void {
    if (this.state !== "new" && this.watchers.hasEvent) this.callEach("onEvent", event);
  }

  /** Ends this run and every open one inside it with `onError`, the innermost first. */
  abort(reason: unknown): void {
    this.error(reason);
  }

  private callStart(handler: Handler, value: unknown, parentSpan: unknown): unknown {
    try {
      const span = handler.onStart?.(this.info, value, parentSpan);
      if (typeof span === "object") this.guard(span, "onStart");
      return span;
    } catch (error) {
      this.report(error, "onStart");
      return undefined;
    }
  }

  private callEnd(handler: Handler | undefined, value: unknown, span: unknown): void {
    try {
      const returned: unknown = handler?.onEnd?.(this.info, value, span);
      if (typeof returned === "object") this.guard(returned, "onEnd");
    } catch (error) {
      this.report(error, "onEnd");
    }
  }

  private callEach(timing: "onError" | "onInterrupt" | "onEvent", value: unknown): void {
    for (const [index, handler] of this.watchers.handlers.entries()) {
      try {
        this.guard(handler[timing]?.(this.info, value, this.spanOf(index)), timing);
      } catch (error) {
        this.report(error, timing);
      }
    }
  }

  private spanOf(index: number): unknown {
    const { span } = this;
    if (this.watchers.only !== undefined) return span;
    return Array.isArray(span) ? span[index] : undefined;
  }

  /** This run's spans in the form that a child with these handlers keeps them in. */
  private spanFor(watchers: Watchers): unknown {
    return this.watchers.only !== undefined && watchers.only === undefined ? [this.span] : this.span;
  }

  /** Nobody awaits what a handler returns, but what it rejects with is reported. */
  private guard(returned: unknown, timing: HandlerTiming): void {
    if (isThenable(returned)) returned.then(undefined, (error) => this.report(error, timing));
  }

  private report(error: unknown, timing: HandlerTiming): void {
    reportHandlerError(this.watchers.onHandlerError, error, timing, this.info);
  }

  /** Ends without a failure: children that are still open now hang on the run around this one. */
  private finish(): boolean {
    const { parent } = this;
    const wasOpen = this.close();
    if (this.child !== undefined) this.handOver(parent);
    return wasOpen;
  }

  /** Whether a run ends by this. One that had not started closes without a word. */
  private close(): boolean {
    const { state } = this;
    this.state = "closed";
    if (this.parent !== undefined) this.unlinkFrom(this.parent);
    return state === "open";
  }

  /** A run that has ended takes no children: what starts inside it later stands alone. */
  private linkInto(parent: Watch): void {
    if (parent.state === "closed") return;
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

  private unlinkFrom(parent: Watch): void {
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

  private handOver(parent: Watch | undefined): void {
    while (this.child !== undefined) {
      const { child } = this;
      child.unlinkFrom(this);
      if (parent !== undefined) child.linkInto(parent);
    }
  }
}
