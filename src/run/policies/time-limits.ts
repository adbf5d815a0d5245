import type { Clock } from "../../components/clock.js";

/** What limits the time of an attempt. */
export interface Limits {
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
}

/** The option that names a limit. */
export type LimitName = keyof Limits;

/** The time limits of one attempt. They count while it is waited for: between `resume` and `pause`. */
export class TimeLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #expire: (limit: LimitName) => void;
  /** Of `timeoutMs`. */
  #left: number;
  #resumedAt = 0;
  #lastBeat = 0;
  #timer: unknown = undefined;
  #idleTimer: unknown = undefined;

  constructor(limits: Limits, clock: Clock, expire: (limit: LimitName) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#expire = expire;
    this.#left = limits.timeoutMs ?? 0;
  }

  resume(): void {
    const clock = this.#clock;
    const { timeoutMs, idleTimeoutMs } = this.#limits;
    this.#resumedAt = clock.now();
    if (timeoutMs !== undefined) this.#timer = clock.setTimer(() => this.#expire("timeoutMs"), Math.max(0, this.#left));
    if (idleTimeoutMs === undefined) return;
    this.#lastBeat = this.#resumedAt;
    this.#setIdleTimer(idleTimeoutMs);
  }

  pause(): void {
    const clock = this.#clock;
    if (this.#timer !== undefined) {
      clock.clearTimer(this.#timer);
      this.#left -= clock.now() - this.#resumedAt;
      this.#timer = undefined;
    }
    if (this.#idleTimer !== undefined) clock.clearTimer(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  /** It goes on: restarts `idleTimeoutMs`. */
  beat(): void {
    if (this.#idleTimer !== undefined) this.#lastBeat = this.#clock.now();
  }

  /** A timer that is too early, because of a beat meanwhile, is set again for the rest. */
  #setIdleTimer(ms: number): void {
    this.#idleTimer = this.#clock.setTimer(() => {
      const { idleTimeoutMs = 0 } = this.#limits;
      const left = this.#lastBeat + idleTimeoutMs - this.#clock.now();
      if (this.#lastBeat === this.#resumedAt || left <= 0) this.#expire("idleTimeoutMs");
      else this.#setIdleTimer(left);
    }, ms);
  }
}
