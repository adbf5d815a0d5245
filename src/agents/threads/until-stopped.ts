import { withGrace } from "../../checkpoint/journal/grace.js";
import { clockOf } from "../../components/clock.js";
import type { Runtime } from "../../compose/runtime.js";

/**
 * Waits for work of a store. Once one of the signals is aborted, waits only a second more, and then rejects with its reason: a store
 * that does not answer keeps no caller who has left. `late` gets what the work resolves to afterwards.
 */
export async function untilStopped<T>(
  work: Promise<T>,
  given: readonly (AbortSignal | undefined)[],
  runtime: Runtime | undefined,
  late: (value: T) => unknown = ignore,
): Promise<T> {
  const signals = given.filter((signal) => signal !== undefined);
  if (signals.length === 0) return work;
  const ended = await withGrace<{ readonly value: T } | { readonly reason: unknown }>(
    work.then((value) => ({ value })),
    (listener) => listen(AbortSignal.any(signals), listener),
    clockOf({ runtime }),
    (reason) => ({ reason }),
  );
  if ("value" in ended) return ended.value;
  work.then(late).catch(ignore);
  throw ended.reason;
}

function listen(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  const stop = (): void => listener(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return () => signal.removeEventListener("abort", stop);
}

function ignore(): void {}
