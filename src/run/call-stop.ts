import type { Clock } from "../components/clock.js";
import type { RunOptions } from "../compose/options.js";
import { timeoutError } from "./scope.js";

/** What can stop a call before its run begins: its caller, its time, or a control, after which it begins nothing more. */
export class CallStop {
  readonly clock: Clock;
  readonly #stop = new AbortController();
  readonly #end: number | undefined;
  readonly #unlisten: (() => void)[] = [];
  isInterrupted = false;

  constructor({ signal, timeoutMs, control }: Pick<RunOptions, "signal" | "timeoutMs" | "control">, clock: Clock) {
    this.clock = clock;
    if (signal !== undefined) {
      const stop = (): void => this.#stop.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.#unlisten.push(() => signal.removeEventListener("abort", stop));
      if (signal.aborted) stop();
    }
    if (timeoutMs !== undefined) {
      this.#end = clock.now() + timeoutMs;
      const timer = clock.setTimer(() => this.#stop.abort(timeoutError(timeoutMs)), timeoutMs);
      this.#unlisten.push(() => clock.clearTimer(timer));
    }
    if (control !== undefined) {
      const interrupted = (): void => {
        this.isInterrupted = true;
      };
      this.#unlisten.push(control.onInterrupt(interrupted));
    }
  }

  /** Aborted when the caller has stopped it, or its time is over. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The time that is left for its run. */
  get left(): { readonly timeoutMs?: number } {
    return this.#end === undefined ? {} : { timeoutMs: Math.max(0, this.#end - this.clock.now()) };
  }

  over(): void {
    for (const unlisten of this.#unlisten) unlisten();
  }
}
