import type { Handler, HandlerErrorListener } from "./handler.js";

/** An immutable list of handlers, made once per run. */
export class Watchers {
  readonly handlers: readonly Handler[];
  readonly onHandlerError: HandlerErrorListener;
  /** The handler when there is just one, which is the usual case. */
  readonly only: Handler | undefined;

  private constructor(handlers: readonly Handler[], onHandlerError: HandlerErrorListener) {
    this.handlers = handlers;
    this.onHandlerError = onHandlerError;
    this.only = handlers.length === 1 ? handlers[0] : undefined;
  }

  /** Nobody: for a watch that only keeps track of what is open inside it. */
  static readonly none: Watchers = new Watchers([], () => undefined);

  /** `undefined` for an empty list: nobody watches. */
  static of(handlers: readonly Handler[], onHandlerError: HandlerErrorListener): Watchers | undefined {
    const only = handlers[0];
    if (only === undefined) return undefined;
    // a list of one is written out: copying it would cost more than all else here
    return new Watchers(handlers.length === 1 ? [only] : [...handlers], onHandlerError);
  }

  /** Whether somebody wants side events: they are made for whoever does. */
  get hasEvent(): boolean {
    return this.handlers.some(({ onEvent }) => onEvent !== undefined);
  }

  /** These handlers, and then more: this list stays the beginning of the new one. */
  with(more: readonly Handler[]): Watchers {
    return more.length === 0 ? this : new Watchers([...this.handlers, ...more], this.onHandlerError);
  }
}
