import type { StateKey } from "../components/state-key.js";
import { isPromiseLike } from "../schema/promise-like.js";
import { stateLocked } from "./errors.js";

/** The state of one run of one graph, and the lock on it. `outer` is the state of the next enclosing graph that has one. */
export class StateCell {
  readonly key: StateKey<unknown>;
  value: unknown;
  readonly outer: StateCell | undefined;
  #busy = false;
  #entering = false;
  #waiting: (() => void)[] | undefined = undefined;
  /** How this lock shows in an async stack trace: see {@link isNested}. */
  #marker: string | undefined = undefined;

  constructor(key: StateKey<unknown>, outer: StateCell | undefined) {
    this.key = key;
    this.value = key.create();
    this.outer = outer;
  }

  /** The nearest state made with this key, here or further out. */
  find(key: StateKey<never>): StateCell | undefined {
    for (let cell: StateCell | undefined = this; cell !== undefined; cell = cell.outer) {
      if (cell.key === key) return cell;
    }
    return undefined;
  }

  /** Runs `use` alone: at once when nobody else is using the state, else in the order of the calls. */
  use<R>(use: (state: never) => R | Promise<R>): R | Promise<R> {
    if (!this.#busy) return this.#enter(use);
    if (this.#entering || this.#isNested()) throw stateLocked(this.key.name);
    this.#waiting ??= [];
    const turn = new Promise<void>((resolve) => this.#waiting?.push(resolve));
    return turn.then(() => this.#enter(use));
  }

  #enter<R>(use: (state: never) => R | Promise<R>): R | Promise<R> {
    this.#busy = true;
    this.#entering = true;
    let result: R | Promise<R>;
    try {
      result = use(this.value as never);
    } catch (error) {
      this.#leave();
      throw error;
    } finally {
      this.#entering = false;
    }
    if (!isPromiseLike(result)) {
      this.#leave();
      return result;
    }
    return this.#hold(result);
  }

  /** Waits under a name of its own, so that a nested call can be told from one beside it. */
  #hold<R>(result: PromiseLike<R>): Promise<R> {
    this.#marker ??= `holdState${Math.random().toString(36).slice(2)}`;
    const holder = {
      [this.#marker]: async (): Promise<R> => {
        try {
          return await result;
        } finally {
          this.#leave();
        }
      },
    };
    return (holder[this.#marker] as () => Promise<R>)();
  }

  #leave(): void {
    const next = this.#waiting?.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }

  /**
   * Whether the call that is being made comes from inside the function that holds the lock, after one of its awaits.
   * Waiting for the lock there would never end. There is no ambient context, so the async stack trace is asked; this
   * happens only when the lock is taken.
   */
  #isNested(): boolean {
    if (this.#marker === undefined) return false;
    const limit: unknown = Reflect.get(Error, "stackTraceLimit");
    Reflect.set(Error, "stackTraceLimit", 100);
    const { stack = "" } = new Error("who asks for the state");
    Reflect.set(Error, "stackTraceLimit", limit);
    return stack.includes(this.#marker);
  }
}
