import type { Clock } from "../../components/clock.js";

/** How long a run waits for its store after it was stopped. */
const graceMs = 1_000;

/** Calls the listener when the caller stops the run, at once if that has already happened; returns a function to unsubscribe. */
export type OnStop = (listener: (reason: unknown) => void) => () => void;

/** Waits for `work`; once the run is stopped, only for a grace period, after which it resolves to what `instead` returns. */
export function withGrace<T>(
  work: Promise<T>,
  onStop: OnStop,
  clock: Clock,
  instead: (reason: unknown) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: unknown;
    const unlisten = onStop((reason) => {
      timer ??= clock.setTimer(() => {
        unlisten();
        resolve(instead(reason));
      }, graceMs);
    });
    const settled = (): void => {
      unlisten();
      if (timer !== undefined) clock.clearTimer(timer);
    };
    work.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
  });
}
