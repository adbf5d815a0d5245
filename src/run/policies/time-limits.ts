import type { Clock } from "../../components/clock.js";

/** The time limits of an attempt, in milliseconds. */
export interface Limits {
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
}

/** The option that names a limit. */
export type LimitName = keyof Limits;

/** The time limits of one attempt, on one timer. It runs between {@link resume} and {@link pause}, while someone waits for the attempt. */
export class TimeLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #expire: (limit: LimitName) => void;
  /** The rest of `timeoutMs`. */
  #left: number;
  #resumedAt = 0;
  #lastBeat = 0;
  #timer: unknown = undefined;
  /** The limit that the timer is set for. */
  #due: LimitName = "timeoutMs";
  /** There was a sign of life since it was set. */
  #hasBeaten = false;

  constructor(limits: Limits, clock: Clock, expire: (limit: LimitName) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#expire = expire;
    this.#left = limits.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    const now = this.#clock.now();
    this.#resumedAt = now;
    this.#lastBeat = now;
    this.#set(this.#left, this.#limits.idleTimeoutMs ?? Number.POSITIVE_INFINITY);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    this.stop();
    this.#left -= this.#clock.now() - this.#resumedAt;
  }

  /** For good: the attempt is over. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  /** Restarts `idleTimeoutMs`. */
  beat(): void {
    if (this.#limits.idleTimeoutMs === undefined || this.#timer === undefined) return;
    this.#lastBeat = this.#clock.now();
    this.#hasBeaten = true;
  }

  /** For what is due first: what is left of the whole time, or of that without a sign of life. */
  #set(left: number, idleLeft: number): void {
    this.#due = left <= idleLeft ? "timeoutMs" : "idleTimeoutMs";
    this.#hasBeaten = false;
    this.#timer = this.#clock.setTimer(this.#fire, Math.max(0, Math.min(left, idleLeft)));
  }

  /** A timer that is too early, because of a beat meanwhile, is set again for the rest. */
  readonly #fire = (): void => {
    if (this.#due === "timeoutMs" || !this.#hasBeaten) {
      this.#expire(this.#due);
      return;
    }
    const { idleTimeoutMs = 0 } = this.#limits;
    const now = this.#clock.now();
    this.#set(this.#left - (now - this.#resumedAt), this.#lastBeat + idleTimeoutMs - now);
  };
}
