import type { OnStop } from "../../checkpoint/journal/grace.js";
import type { Clock } from "../../components/clock.js";
import type { RunOptions } from "../../compose/options.js";
import { Scope, timeoutError } from "../scope.js";
import { Subscription } from "../signal-hub.js";

/** Listens to the caller's signal and time limit even after the run has stopped doing so. The time counts from now. */
export function callerStop({ signal, timeoutMs }: RunOptions, clock: Clock): OnStop | undefined {
  if (signal === undefined && timeoutMs === undefined) return undefined;
  const end = timeoutMs === undefined ? undefined : clock.now() + timeoutMs;
  return (listener) => {
    const left = end === undefined ? undefined : Math.max(0, end - clock.now());
    const timer = left === undefined ? undefined : clock.setTimer(() => listener(timeoutError(timeoutMs)), left);
    const subscription = signal === undefined ? undefined : listen(signal, listener);
    return () => {
      if (timer !== undefined) clock.clearTimer(timer);
      subscription?.unsubscribe();
    };
  };
}

function listen(signal: AbortSignal, listener: (reason: unknown) => void): Subscription | undefined {
  if (!signal.aborted) return new Subscription(signal, new ListeningScope(listener));
  listener(signal.reason);
  return undefined;
}

class ListeningScope extends Scope {
  readonly #listener: (reason: unknown) => void;

  constructor(listener: (reason: unknown) => void) {
    super(undefined);
    this.#listener = listener;
  }

  protected override beforeSignal(reason: unknown): void {
    this.#listener(reason);
  }
}
