import type { Clock } from "../../components/clock.js";

/** The time limits of an attempt, in milliseconds. */
export interface Limits {
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
}

/** The option that names a limit. */
export type LimitName = keyof Limits;

/** The timers of one attempt. They run between {@link resume} and {@link pause}, while someone waits for the attempt. */
export class TimeLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #expire: (limit: LimitName) => void;
  /** What is left of `timeoutMs`. */
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

  /** Restarts `idleTimeoutMs`. */
  beat(): void {
    if (this.#idleTimer !== undefined) this.#lastBeat = this.#clock.now();
  }

  /** Beats do not reset the timer: if there was one, it is set again for the remaining time when it fires. */
  #setIdleTimer(ms: number): void {
    this.#idleTimer = this.#clock.setTimer(() => {
      const { idleTimeoutMs = 0 } = this.#limits;
      const left = this.#lastBeat + idleTimeoutMs - this.#clock.now();
      if (this.#lastBeat === this.#resumedAt || left <= 0) this.#expire("idleTimeoutMs");
      else this.#setIdleTimer(left);
    }, ms);
  }
}
