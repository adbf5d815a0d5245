import type { NodeContext } from "../components/context.js";
import { clockOf } from "./runtime-parts.js";

/** Resolves after a while; rejects with the reason of the signal as soon as that is aborted. */
export function wait(milliseconds: number, ctx: NodeContext): Promise<void> {
  const { signal } = ctx;
  const clock = clockOf(ctx);
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clock.clearTimer(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimer(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
