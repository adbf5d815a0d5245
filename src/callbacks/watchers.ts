import type { Handler, HandlerErrorListener } from "./handler.js";

/** An immutable list of handlers and what they declare, looked up once. */
export class Watchers {
  readonly handlers: readonly Handler[];
  readonly onHandlerError: HandlerErrorListener;
  /** The handler when there is just one, which is the usual case. */
  readonly only: Handler | undefined;
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  readonly hasError: boolean;
  readonly hasInterrupt: boolean;
  readonly hasStreamStart: boolean;
  readonly hasStreamEnd: boolean;
  readonly hasEvent: boolean;

  private constructor(handlers: readonly Handler[], onHandlerError: HandlerErrorListener) {
    this.handlers = handlers;
    this.onHandlerError = onHandlerError;
    this.only = handlers.length === 1 ? handlers[0] : undefined;
    this.hasStart = handlers.some(({ onStart }) => onStart !== undefined);
    this.hasEnd = handlers.some(({ onEnd }) => onEnd !== undefined);
    this.hasError = handlers.some(({ onError }) => onError !== undefined);
    this.hasInterrupt = handlers.some(({ onInterrupt }) => onInterrupt !== undefined);
    this.hasStreamStart = handlers.some(({ onStartWithStreamInput }) => onStartWithStreamInput !== undefined);
    this.hasStreamEnd = handlers.some(({ onEndWithStreamOutput }) => onEndWithStreamOutput !== undefined);
    this.hasEvent = handlers.some(({ onEvent }) => onEvent !== undefined);
  }

  /** Nobody: for a watch that only keeps track of what is open inside it. */
  static readonly none: Watchers = new Watchers([], () => undefined);

  /** `undefined` for an empty list: nobody watches. */
  static of(handlers: readonly Handler[], onHandlerError: HandlerErrorListener): Watchers | undefined {
    return handlers.length === 0 ? undefined : new Watchers([...handlers], onHandlerError);
  }

  /** These handlers, and then more: this list stays the beginning of the new one. */
  with(more: readonly Handler[]): Watchers {
    return more.length === 0 ? this : new Watchers([...this.handlers, ...more], this.onHandlerError);
  }
}
