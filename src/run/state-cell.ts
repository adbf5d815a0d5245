import type { StateKey } from "../components/state-key.js";
import { KumikoError } from "../errors.js";
import { isPromiseLike } from "../is.js";
import { stateFailed, stateLocked } from "./errors.js";

/** A context that uses a state, with its enclosing contexts. */
export interface StateUser {
  readonly origin: StateUser;
  readonly around: StateUser | undefined;
  readonly signal: AbortSignal;
  readonly openedScope: { throwIfAborted(): void } | undefined;
}

interface Waiting {
  readonly user: StateUser;
  readonly enter: () => void;
}

/** The state of one run of a graph, and the lock on it. `outer` is that of the nearest enclosing graph with a state. */
export class StateCell {
  readonly key: StateKey<unknown>;
  value: unknown;
  readonly outer: StateCell | undefined;
  private holder: StateUser | undefined = undefined;
  private waiting: Waiting[] | undefined = undefined;
  private unlisten: (() => void) | undefined = undefined;

  constructor(key: StateKey<unknown>, outer: StateCell | undefined) {
    this.key = key;
    this.value = key.create();
    this.outer = outer;
  }

  /** Creates the state of a run; an error of the key's `create` is located at the graph. */
  static open(key: StateKey<unknown>, outer: StateCell | undefined, nodePath: readonly string[]): StateCell {
    try {
      return new StateCell(key, outer);
    } catch (error) {
      throw KumikoError.is(error) ? error : stateFailed(nodePath, error);
    }
  }

  /** The nearest state with this key: this one, or that of an enclosing graph. */
  find(key: StateKey<never>): StateCell | undefined {
    for (let cell: StateCell | undefined = this; cell !== undefined; cell = cell.outer) {
      if (cell.key === key) return cell;
    }
    return undefined;
  }

  /**
   * Calls `use` with exclusive access: at once if the state is free, otherwise in the order of the calls. Throws `STATE_LOCKED`
   * if the user or an enclosing context holds the lock already: it would wait for itself. A user that was aborted does not get
   * the state: another attempt may have it by now.
   */
  use<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    user.openedScope?.throwIfAborted();
    if (this.holder === undefined) return this.enter(use, user);
    if (this.holder.signal.aborted) {
      this.leave(this.holder);
      return this.use(use, user);
    }
    if (isInside(user, this.holder.origin)) throw stateLocked(this.key.name);
    this.waiting ??= [];
    if (this.waiting.length === 0) this.leaveWith(this.holder);
    const turn = new Promise<void>((resolve) => this.waiting?.push({ user, enter: resolve }));
    return turn.then(() => this.enterInTurn(use, user));
  }

  /** Skips a user that was aborted while it waited. */
  private enterInTurn<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    try {
      user.openedScope?.throwIfAborted();
    } catch (error) {
      this.leave(user);
      throw error;
    }
    return this.enter(use, user);
  }

  /** Takes the lock from its holder once that is aborted: others do not wait for code that ignores its signal. */
  private leaveWith(holder: StateUser): void {
    const leave = (): void => this.leave(holder);
    holder.signal.addEventListener("abort", leave, { once: true });
    this.unlisten = () => holder.signal.removeEventListener("abort", leave);
  }

  private enter<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    this.holder = user;
    let result: R | Promise<R>;
    try {
      result = use(this.value as never);
    } catch (error) {
      this.leave(user);
      throw error;
    }
    if (isPromiseLike(result)) return this.hold(result, user);
    this.leave(user);
    return result;
  }

  private async hold<R>(result: PromiseLike<R>, holder: StateUser): Promise<R> {
    try {
      return await result;
    } finally {
      this.leave(holder);
    }
  }

  /** Does nothing if the user does not hold the lock any more. */
  private leave(holder: StateUser): void {
    if (this.holder !== holder) return;
    this.unlisten?.();
    this.unlisten = undefined;
    const next = this.waiting?.shift();
    this.holder = next?.user;
    if (next !== undefined && this.waiting !== undefined && this.waiting.length > 0) this.leaveWith(next.user);
    next?.enter();
  }
}

function isInside(user: StateUser, holder: StateUser): boolean {
  for (let current: StateUser | undefined = user; current !== undefined; current = current.around) {
    if (current.origin === holder) return true;
  }
  return false;
}
