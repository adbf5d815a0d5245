import type { Runtime } from "../compose/runtime.js";
import { clockOf } from "../models/runtime-parts.js";

const first = 20;
const longest = 1_000;

/** Waits before a thread is looked at again: longer each time, at most a second. Rejects when the call is stopped. */
export function waitForTurn(
  attempt: number,
  signal: AbortSignal | undefined,
  runtime: Runtime | undefined,
): Promise<void> {
  const clock = clockOf({ runtime } as never);
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clock.clearTimer(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimer(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(longest, first * 2 ** (attempt - 1)),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });
}
