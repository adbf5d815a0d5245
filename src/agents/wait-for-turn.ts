import { clockOf } from "../components/clock.js";
import { pause } from "../components/pause.js";
import type { Runtime } from "../compose/runtime.js";

const first = 20;
const longest = 1_000;

/** Waits before a thread is looked at again: longer each time, at most a second. Rejects when the call is stopped. */
export function waitForTurn(
  attempt: number,
  signal: AbortSignal | undefined,
  runtime: Runtime | undefined,
): Promise<void> {
  return pause(Math.min(longest, first * 2 ** (attempt - 1)), clockOf({ runtime }), signal);
}
