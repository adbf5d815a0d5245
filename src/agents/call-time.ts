import { timeoutError } from "../run/scope.js";

/** How long a call may take, before its run begins. */
export class CallTime {
  /** Aborted when the call is stopped, or its time is over; `undefined` where nothing can stop it. */
  readonly signal: AbortSignal | undefined;
  readonly #end: number | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number | undefined, given: readonly (AbortSignal | undefined)[]) {
    const signals = given.filter((signal) => signal !== undefined);
    if (timeoutMs !== undefined && timeoutMs >= 0) {
      const controller = new AbortController();
      this.#end = performance.now() + timeoutMs;
      this.#timer = setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
      signals.push(controller.signal);
    }
    const [first] = signals;
    this.signal = signals.length > 1 ? AbortSignal.any(signals) : first;
  }

  /** What is left for the run. */
  get left(): { readonly timeoutMs?: number } {
    return this.#end === undefined ? {} : { timeoutMs: Math.max(0, this.#end - performance.now()) };
  }

  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}
