import { isPromiseLike } from "../../is.js";
import { nodeTimedOut } from "../errors.js";
import { Scope } from "../scope.js";
import { type Task, TaskView } from "../task.js";
import type { Permit } from "./semaphore.js";
import { type LimitName, type Limits, TimeLimits } from "./time-limits.js";

export interface AttemptSettings extends Limits {
  /** Whether finished work inside is kept for the next attempt. */
  readonly retains: boolean;
  /** Whether it takes a permit of `maxConcurrency` while it runs. */
  readonly isBody: boolean;
}

/** One attempt of a node: the `ctx` of its function, with a signal of its own. Everything else it shares with its task. */
export class Attempt extends TaskView {
  readonly #number: number;
  readonly #settings: AttemptSettings;
  readonly #limits: TimeLimits | undefined;
  readonly #scope: AttemptScope;
  #permit: Permit | undefined = undefined;
  /** It is waited for, and how many reads of its input wait themselves: its time counts in between. */
  #isAwaited = false;
  #waits = 0;
  #reject: ((reason: unknown) => void) | undefined = undefined;
  /** Set when a time limit has expired. */
  #failure: { readonly error: unknown } | undefined = undefined;

  constructor(task: Task, number: number, settings: AttemptSettings) {
    super(task);
    this.#number = number;
    this.#settings = settings;
    const { timeoutMs, idleTimeoutMs } = settings;
    this.#scope = new AttemptScope(task.scope, (reason) => this.#stop(reason));
    this.#limits =
      timeoutMs === undefined && idleTimeoutMs === undefined
        ? undefined
        : new TimeLimits(settings, task.runtime.clock, (limit) => this.#expire(limit));
    this.#scope.open();
  }

  override get scope(): Scope {
    return this.#scope;
  }

  override get attempt(): number {
    return this.#number;
  }

  override get retains(): boolean {
    return this.#settings.retains || super.retains;
  }

  override get permit(): Permit | undefined {
    return this.#permit ?? super.permit;
  }

  override beat(): void {
    this.#limits?.beat();
    super.beat();
  }

  /**
   * Runs a part of the work under its time limits and the concurrency limit; after the last part, the attempt has ended.
   * Rejects when the attempt ends, even if the work goes on.
   */
  async run<T>(work: () => T | PromiseLike<T>, isLast: boolean): Promise<T> {
    if (this.semaphore !== undefined && this.#settings.isBody) await this.#acquirePermit();
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      this.#scope.throwIfAborted();
      this.#isAwaited = true;
      this.#count();
      const pending = work();
      // what has returned is not raced: an abort in the same turn must not lose it
      const isRaced = this.#limits !== undefined && isPromiseLike(pending);
      const output = await (isRaced ? this.#race(pending) : pending);
      if (isLast) this.end();
      return output;
    } finally {
      this.#isAwaited = false;
      this.#count();
      this.#releasePermit();
    }
  }

  /** Waits for something that others do: meanwhile another body may have its permit, and its own time limits stand still. */
  async pausing<T>(waiting: Promise<T>): Promise<T> {
    if (this.#permit === undefined && this.#limits === undefined) return waiting;
    const hasPermit = this.#permit !== undefined;
    this.#releasePermit();
    this.#waits += 1;
    this.#count();
    try {
      return await waiting;
    } finally {
      if (hasPermit && !this.isOver) await this.#acquirePermit();
      this.#waits -= 1;
      this.#count();
    }
  }

  #count(): void {
    if (this.isOver) this.#limits?.stop();
    else if (this.#isAwaited && this.#waits === 0) this.#limits?.resume();
    else this.#limits?.pause();
  }

  /** Ends the attempt. `why`: the reason with which its leftover work is aborted. */
  end(why?: unknown): void {
    this.isOver = true;
    this.#limits?.stop();
    this.#releasePermit();
    this.#scope.close();
    if (why === undefined || this.#scope.aborted) return;
    this.owner.openStreams.cancel(why, this.#scope);
    this.#scope.abort(why);
  }

  async #acquirePermit(): Promise<void> {
    const isWanted = (): boolean => !this.isOver && !this.#scope.aborted;
    const permit = await this.semaphore?.acquire(this.task.permit, isWanted);
    if (isWanted()) this.#permit = permit;
    else permit?.release();
    this.#scope.throwIfAborted();
  }

  #releasePermit(): void {
    this.#permit?.release();
    this.#permit = undefined;
  }

  #race<T>(pending: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      this.#reject = (reason) => {
        isOver = true;
        reject(reason);
      };
      Promise.resolve(pending).then((value) => {
        if (isOver) this.task.span?.event({ kind: "late_result", value });
        else resolve(value);
      }, reject);
    });
  }

  #expire(limit: LimitName): void {
    const timeout = new DOMException(`The attempt took longer than ${this.#settings[limit]} ms.`, "TimeoutError");
    const error = nodeTimedOut(this.nodePath, limit, this.#settings[limit], timeout);
    this.#failure = { error };
    this.#reject?.(error);
    this.end(timeout);
  }

  /** An enclosing scope was aborted. */
  #stop(reason: unknown): void {
    this.#limits?.stop();
    this.#reject?.(reason);
  }
}

class AttemptScope extends Scope {
  readonly #onAbort: (reason: unknown) => void;

  constructor(parent: Scope, onAbort: (reason: unknown) => void) {
    super(parent);
    this.#onAbort = onAbort;
  }

  protected override beforeSignal(reason: unknown): void {
    this.#onAbort(reason);
  }
}
