import type { Clock } from "./clock.js";

/** Resolves after so many milliseconds, of which there may be no end; rejects with the reason of the signal once that is aborted. */
export function pause(milliseconds: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      if (timer !== undefined) clock.clearTimer(timer);
      reject(signal?.reason);
    };
    const wake = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const timer = milliseconds === Number.POSITIVE_INFINITY ? undefined : clock.setTimer(wake, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
