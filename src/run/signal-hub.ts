import type { Scope } from "./scope.js";

/**
 * One listener per distinct signal, however many runs use it: thousands of runs may share a server's shutdown signal. The
 * subscriptions form a doubly linked list; the listener is removed with the last of them.
 */
class Hub {
  #first: Subscription | undefined = undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(subscription: Subscription): void {
    if (this.#first === undefined) this.#signal.addEventListener("abort", this);
    else this.#first.previous = subscription;
    subscription.next = this.#first;
    this.#first = subscription;
  }

  remove(subscription: Subscription): void {
    const { previous, next } = subscription;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next !== undefined) next.previous = previous;
    if (this.#first === undefined) this.#signal.removeEventListener("abort", this);
  }

  handleEvent(): void {
    const { reason } = this.#signal;
    for (let current = this.#first; current !== undefined; ) {
      const next: Subscription | undefined = current.next;
      current.scope.abort(reason);
      current = next;
    }
  }
}

/** Aborts a scope when a signal fires, until {@link unsubscribe} is called. */
export class Subscription {
  previous: Subscription | undefined = undefined;
  next: Subscription | undefined = undefined;
  readonly scope: Scope;
  #hub: Hub | undefined;

  constructor(signal: AbortSignal, scope: Scope) {
    this.scope = scope;
    let hub = hubs.get(signal);
    if (hub === undefined) {
      hub = new Hub(signal);
      hubs.set(signal, hub);
    }
    this.#hub = hub;
    hub.add(this);
  }

  unsubscribe(): void {
    this.#hub?.remove(this);
    this.#hub = undefined;
  }
}

const hubs = new WeakMap<AbortSignal, Hub>();
