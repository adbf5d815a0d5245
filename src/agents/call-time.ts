import { type Clock, clockOf } from "../components/clock.js";
import type { Runtime } from "../compose/runtime.js";
import { timeoutError } from "../run/scope.js";

/** How long a call may take, before its run begins. */
export class CallTime {
  /** Aborted when the call is stopped, or its time is over; `undefined` where nothing can stop it. */
  readonly signal: AbortSignal | undefined;
  readonly #end: number | undefined;
  readonly #timer: unknown;
  readonly #clock: Clock;

  constructor(
    timeoutMs: number | undefined,
    given: readonly (AbortSignal | undefined)[],
    runtime: Runtime | undefined,
  ) {
    const clock = clockOf({ runtime });
    this.#clock = clock;
    const signals = given.filter((signal) => signal !== undefined);
    if (timeoutMs !== undefined && timeoutMs >= 0) {
      const controller = new AbortController();
      this.#end = clock.now() + timeoutMs;
      this.#timer = clock.setTimer(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
      signals.push(controller.signal);
    }
    const [first] = signals;
    this.signal = signals.length > 1 ? AbortSignal.any(signals) : first;
  }

  /** What is left for the run. */
  get left(): { readonly timeoutMs?: number } {
    return this.#end === undefined ? {} : { timeoutMs: Math.max(0, this.#end - this.#clock.now()) };
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
  }
}
