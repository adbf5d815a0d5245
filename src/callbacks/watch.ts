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
  private state: "new" | "open" | "closed" = "new";
  /** The span of the first handler: until the start its parent's, then its own. */
  private span: unknown;
  /** The spans of the other handlers. */
  private spans: readonly unknown[] | undefined;
  private parent: Watch | undefined = undefined;
  private firstChild: Watch | undefined = undefined;
  private lastChild: Watch | undefined = undefined;
  private previous: Watch | undefined = undefined;
  private next: Watch | undefined = undefined;

  /** The parent has the same handlers, or the first few of them. */
  constructor(watchers: Watchers, info: RunInfo, parent: Watch | undefined) {
    this.watchers = watchers;
    this.info = info;
    this.span = parent?.span;
    this.spans = parent?.spans;
    if (parent !== undefined) this.linkInto(parent);
  }

  get closed(): boolean {
    return this.state === "closed";
  }

  start(value: unknown): void {
    if (this.state !== "new") return;
    this.state = "open";
    const { only, handlers } = this.watchers;
    if (only !== undefined) {
      this.span = this.callStart(only, value, this.span);
      return;
    }
    const spans = handlers.map((handler, index) => this.callStart(handler, value, this.spanAt(index)));
    this.span = spans.shift();
    this.spans = spans;
  }

  /** Children that are still open stay so, and end by themselves. */
  end(value: unknown): void {
    const { parent } = this;
    if (!this.close()) return;
    while (this.firstChild !== undefined) this.firstChild.moveTo(parent);
    const { only, handlers, hasEnd } = this.watchers;
    if (!hasEnd) return;
    if (only !== undefined) this.callEnd(only, value, this.span);
    else for (const [index, handler] of handlers.entries()) this.callEnd(handler, value, this.spanAt(index));
  }

  /** Children that are still open are aborted first, with the same error. */
  error(error: unknown): void {
    if (!this.close()) return;
    while (this.firstChild !== undefined) this.firstChild.error(error);
    if (this.watchers.hasError) this.callEach("onError", error);
  }

  interrupt(interrupt: unknown): void {
    const { parent } = this;
    if (!this.close()) return;
    while (this.firstChild !== undefined) this.firstChild.moveTo(parent);
    if (this.watchers.hasInterrupt) this.callEach("onInterrupt", interrupt);
  }

  /** Also heard after the end: something may be late. */
  event(event: unknown): void {
    if (this.watchers.hasEvent && this.state !== "new") this.callEach("onEvent", event);
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

  private callEnd(handler: Handler, value: unknown, span: unknown): void {
    try {
      const returned: unknown = handler.onEnd?.(this.info, value, span);
      if (typeof returned === "object") this.guard(returned, "onEnd");
    } catch (error) {
      this.report(error, "onEnd");
    }
  }

  private callEach(timing: "onError" | "onInterrupt" | "onEvent", value: unknown): void {
    for (const [index, handler] of this.watchers.handlers.entries()) {
      try {
        this.guard(handler[timing]?.(this.info, value, this.spanAt(index)), timing);
      } catch (error) {
        this.report(error, timing);
      }
    }
  }

  private spanAt(index: number): unknown {
    return index === 0 ? this.span : this.spans?.[index - 1];
  }

  /** Nobody awaits what a handler returns, but what it rejects with is reported. */
  private guard(returned: unknown, timing: HandlerTiming): void {
    if (isThenable(returned)) returned.then(undefined, (error) => this.report(error, timing));
  }

  private report(error: unknown, timing: HandlerTiming): void {
    reportHandlerError(this.watchers.onHandlerError, error, timing, this.info);
  }

  /** Whether a run ends by this: it was open until now. */
  private close(): boolean {
    const wasOpen = this.state === "open";
    if (this.state !== "closed") this.unlink();
    this.state = "closed";
    return wasOpen;
  }

  /** A run that has ended takes no children: what starts inside it later stands alone. */
  private linkInto(parent: Watch): void {
    if (parent.state === "closed") return;
    this.parent = parent;
    this.previous = parent.lastChild;
    if (parent.lastChild === undefined) parent.firstChild = this;
    else parent.lastChild.next = this;
    parent.lastChild = this;
  }

  private unlink(): void {
    const { parent, previous, next } = this;
    if (parent === undefined) return;
    if (previous === undefined) parent.firstChild = next;
    else previous.next = next;
    if (next === undefined) parent.lastChild = previous;
    else next.previous = previous;
    this.parent = undefined;
    this.previous = undefined;
    this.next = undefined;
  }

  private moveTo(parent: Watch | undefined): void {
    this.unlink();
    if (parent !== undefined) this.linkInto(parent);
  }
}
