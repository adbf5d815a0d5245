import type { Handler, HandlerErrorListener } from "./handler.js";

/** An immutable list of handlers, made once per run. */
export class HandlerList {
  readonly items: readonly Handler[];
  readonly onHandlerError: HandlerErrorListener;
  /** The handler when there is just one, which is the usual case. */
  readonly only: Handler | undefined;

  private constructor(handlers: readonly Handler[], onHandlerError: HandlerErrorListener) {
    this.items = handlers;
    this.onHandlerError = onHandlerError;
    this.only = handlers.length === 1 ? handlers[0] : undefined;
  }

  /** No handlers: for a span that only tracks what is open inside it. */
  static readonly none: HandlerList = new HandlerList([], () => undefined);

  /** `undefined` for an empty list. */
  static of(handlers: readonly Handler[], onHandlerError: HandlerErrorListener): HandlerList | undefined {
    const only = handlers[0];
    if (only === undefined) return undefined;
    // a list of one is written out: copying it would cost more than all else here
    return new HandlerList(handlers.length === 1 ? [only] : [...handlers], onHandlerError);
  }

  /** Whether somebody wants side events: they are made for whoever does. */
  get hasEvent(): boolean {
    return this.items.some(({ onEvent }) => onEvent !== undefined);
  }

  /** These handlers, and then more: this list stays the beginning of the new one. */
  with(more: readonly Handler[]): HandlerList {
    return more.length === 0 ? this : new HandlerList([...this.items, ...more], this.onHandlerError);
  }
}
