/** A clock that stands still until it is told to go on. Call it for the time in milliseconds. */
export interface ManualClock {
  (): number;
  /** Lets so many milliseconds pass. */
  advance(milliseconds: number): void;
}

/**
 * A clock for `consoleTracer` and `traceRecorder` in tests, so that durations are always the same.
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
  return Object.assign(() => now, {
    advance(milliseconds: number): void {
      now += milliseconds;
    },
  });
}
