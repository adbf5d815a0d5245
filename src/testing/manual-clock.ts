import type { Clock } from "../components/clock.js";

/** A clock that only moves when the test advances it. Call it to get the time in milliseconds. */
export interface ManualClock extends Clock {
  (): number;
  /** Advances the clock, and runs the timers that become due, in order. */
  advance(milliseconds: number): void;
  /** When the next timer is due; `undefined` if none is set. */
  readonly nextTimer: number | undefined;
}

/**
 * A clock for tests, for the option `clock` of `Runtime`, `consoleTracer` and `traceRecorder`. Waits end when the test advances
 * the clock, and durations are deterministic.
 *
 * @example
 * const clock = manualClock();
 * const trace = traceRecorder({ clock });
 * const slow = lambda({ invoke: () => clock.advance(20) });
 * await slow.invoke("hello", { callbacks: [trace] });
 * console.log(trace.toJSON().runs[0]?.durationMs);
 */
export function manualClock(start = 0): ManualClock {
  let now = start;
  const timers = new Set<ManualTimer>();
  const clock = Object.assign(() => now, {
    now: () => now,
    setTimer(run: () => void, milliseconds: number): unknown {
      const timer: ManualTimer = { run, at: now + Math.max(0, milliseconds) };
      timers.add(timer);
      return timer;
    },
    clearTimer(timer: unknown): void {
      timers.delete(timer as ManualTimer);
    },
    advance(milliseconds: number): void {
      const end = now + milliseconds;
      for (let timer = firstOf(timers); timer !== undefined && timer.at <= end; timer = firstOf(timers)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.run();
      }
      now = Math.max(now, end);
    },
  });
  return Object.defineProperty(clock, "nextTimer", { get: () => firstOf(timers)?.at }) as ManualClock;
}

interface ManualTimer {
  readonly run: () => void;
  readonly at: number;
}

/** The timer that is due first; of several, the one that was set first. */
function firstOf(timers: ReadonlySet<ManualTimer>): ManualTimer | undefined {
  let first: ManualTimer | undefined;
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
  return first;
}
