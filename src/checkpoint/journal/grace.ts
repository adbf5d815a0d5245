import type { Clock } from "../../components/clock.js";

/** How long the end of a run waits for its store once the run was stopped. */
const graceMs = 1_000;

/** Tells when the caller wants a run to end, at once if that was so before; gives what ends the telling. */
export type OnStop = (listener: (reason: unknown) => void) => () => void;

/** Waits for `work`; once the run is stopped only for a grace time, after which `instead` says what to give. */
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
