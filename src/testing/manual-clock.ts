import type { Clock } from "../components/clock.js";

/** A clock that stands still until the test advances it. Call it for the time in milliseconds. */
export interface ManualClock extends Clock {
  (): number;
  /** Lets so many milliseconds pass. Timers whose time has come are called on the way, in their order. */
  advance(milliseconds: number): void;
  /** When the next timer is due; `undefined` when none is set. */
  readonly nextTimer: number | undefined;
}

/**
 * A clock for tests: as `clock` of a `Runtime`, of `consoleTracer` and of `traceRecorder`. Nothing waits longer than the test
 * lets it, and durations are always the same.
 *
 * @example
 * const clock = manualClock();
 * const trace = traceRecorder({ clock });
 * const slow = lambda({ invoke: () => clock.advance(20) });
 * await slow.invoke("hello", { callbacks: [trace] });
 * console.log(trace.toJSON()[0]?.durationMs);
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

/** The one that is due first; of several, the one that was set first. */
function firstOf(timers: ReadonlySet<ManualTimer>): ManualTimer | undefined {
  let first: ManualTimer | undefined;
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
  return first;
}
