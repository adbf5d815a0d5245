import type { Handler, HandlerErrorListener } from "./handler.js";

/** An immutable list of handlers, made once per run. */
export class HandlerList {
  readonly items: readonly Handler[];
  readonly onHandlerError: HandlerErrorListener;
  /** The handler if there is only one, which is the usual case. */
  readonly only: Handler | undefined;

  private constructor(handlers: readonly Handler[], onHandlerError: HandlerErrorListener) {
    this.items = handlers;
    this.onHandlerError = onHandlerError;
    this.only = handlers.length === 1 ? handlers[0] : undefined;
  }

  /** The empty list, for a span that only tracks the open runs inside it. */
  static readonly none: HandlerList = new HandlerList([], () => undefined);

  /** Makes a list; `undefined` if it is empty. */
  static of(handlers: readonly Handler[], onHandlerError: HandlerErrorListener): HandlerList | undefined {
    const only = handlers[0];
    if (only === undefined) return undefined;
    // for one handler, a literal is faster than a copy
    return new HandlerList(handlers.length === 1 ? [only] : [...handlers], onHandlerError);
  }

  /** Whether any handler takes side events. Otherwise they need not be created. */
  get hasEvent(): boolean {
    return this.items.some(({ onEvent }) => onEvent !== undefined);
  }

  /** A new list with more handlers at the end. */
  with(more: readonly Handler[]): HandlerList {
    return more.length === 0 ? this : new HandlerList([...this.items, ...more], this.onHandlerError);
  }
}
