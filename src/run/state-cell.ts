import type { StateKey } from "../components/state-key.js";
import { KumikoError } from "../errors.js";
import { isPromiseLike } from "../is.js";
import { stateFailed, stateLocked } from "./errors.js";

/** Who uses a state: a context, and the contexts that it is inside of. */
export interface StateUser {
  readonly origin: StateUser;
  readonly around: StateUser | undefined;
  readonly openedScope: { throwIfAborted(): void } | undefined;
}

interface Waiting {
  readonly user: StateUser;
  readonly enter: () => void;
}

/** The state of one run of one graph, and the lock on it. `outer` is the state of the next enclosing graph that has one. */
export class StateCell {
  readonly key: StateKey<unknown>;
  value: unknown;
  readonly outer: StateCell | undefined;
  private holder: StateUser | undefined = undefined;
  private waiting: Waiting[] | undefined = undefined;

  constructor(key: StateKey<unknown>, outer: StateCell | undefined) {
    this.key = key;
    this.value = key.create();
    this.outer = outer;
  }

  /** Makes the state of a run; what its `create` throws is located at the graph. */
  static open(key: StateKey<unknown>, outer: StateCell | undefined, nodePath: readonly string[]): StateCell {
    try {
      return new StateCell(key, outer);
    } catch (error) {
      throw KumikoError.is(error) ? error : stateFailed(nodePath, error);
    }
  }

  /** The nearest state made with this key, here or further out. */
  find(key: StateKey<never>): StateCell | undefined {
    for (let cell: StateCell | undefined = this; cell !== undefined; cell = cell.outer) {
      if (cell.key === key) return cell;
    }
    return undefined;
  }

  /**
   * Runs `use` with exclusive access: at once if the state is free, otherwise in the order of the calls. Throws `STATE_LOCKED`
   * when the user, or a context around it, has the state already: it would wait for itself. A user that was stopped does not get
   * it: another attempt may have it by now.
   */
  use<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    user.openedScope?.throwIfAborted();
    if (this.holder === undefined) return this.enter(use, user);
    if (isInside(user, this.holder.origin)) throw stateLocked(this.key.name);
    this.waiting ??= [];
    const turn = new Promise<void>((resolve) => this.waiting?.push({ user, enter: resolve }));
    return turn.then(() => this.enterInTurn(use, user));
  }

  /** It may have been stopped while it waited. */
  private enterInTurn<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    try {
      user.openedScope?.throwIfAborted();
    } catch (error) {
      this.leave();
      throw error;
    }
    return this.enter(use, user);
  }

  private enter<R>(use: (state: never) => R | Promise<R>, user: StateUser): R | Promise<R> {
    this.holder = user;
    let result: R | Promise<R>;
    try {
      result = use(this.value as never);
    } catch (error) {
      this.leave();
      throw error;
    }
    if (isPromiseLike(result)) return this.hold(result);
    this.leave();
    return result;
  }

  private async hold<R>(result: PromiseLike<R>): Promise<R> {
    try {
      return await result;
    } finally {
      this.leave();
    }
  }

  private leave(): void {
    const next = this.waiting?.shift();
    this.holder = next?.user;
    next?.enter();
  }
}

function isInside(user: StateUser, holder: StateUser): boolean {
  for (let current: StateUser | undefined = user; current !== undefined; current = current.around) {
    if (current.origin === holder) return true;
  }
  return false;
}
