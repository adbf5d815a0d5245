import { isFields } from "../is.js";

/**
 * The source of time. Everything in a run that waits uses the clock of its `Runtime`, so that tests can control time.
 *
 * @example
 * const clock = manualClock();
 * const app = graph.compile({ runtime: new Runtime({ clock }) });
 */
export interface Clock {
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Calls `run` once after the given number of milliseconds, of any length; returns a timer for {@link clearTimer}. */
  setTimer(run: () => void, milliseconds: number): unknown;
  /** Stops a timer; harmless if it has already fired or was cleared before. */
  clearTimer(timer: unknown): void;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (run, milliseconds) =>
    milliseconds <= longestTimer ? setTimeout(run, milliseconds) : new LongTimer(run, milliseconds),
  clearTimer: (timer) => clearTimeout((timer instanceof LongTimer ? timer.part : timer) as TimerPart),
};

/** Also true for a clock that is a function at the same time, as that of `manualClock` is. */
export function isClock(given: unknown): given is Clock {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  return isObject && ["now", "setTimer", "clearTimer"].every((name) => typeof Reflect.get(given, name) === "function");
}

/** The clock of a run's runtime, or the system clock outside of a run. */
export function clockOf(ctx: object): Clock {
  const runtime: unknown = Reflect.get(ctx, "runtime");
  const clock: unknown = isFields(runtime) ? runtime.clock : undefined;
  return isClock(clock) ? clock : systemClock;
}

type TimerPart = ReturnType<typeof setTimeout>;

/** The longest delay of `setTimeout`: 24 days. */
const longestTimer = 2_147_483_647;

/** Waits in parts that are short enough. */
class LongTimer {
  part: TimerPart;

  constructor(run: () => void, milliseconds: number) {
    const end = Date.now() + milliseconds;
    const go = (): void => {
      const left = end - Date.now();
      if (left <= 0) run();
      else this.part = setTimeout(go, Math.min(left, longestTimer));
    };
    this.part = setTimeout(go, longestTimer);
  }
}
