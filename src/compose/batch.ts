import { invalidOption } from "./errors.js";
import type { RunOptions } from "./options.js";
import type { Runnable } from "./runnable.js";

export interface BatchOptions extends RunOptions {
  /** How many runs may be open at a time. @default all */
  readonly concurrency?: number | undefined;
}

/**
 * Runs a Runnable once per input; the results are in the order of the inputs. The first run that fails stops the others
 * and rejects the batch. The other options are given to every run.
 *
 * @example
 * const lengths = await batch(lambda({ invoke: (text: string) => text.length }), ["a", "bcd"], { concurrency: 2 });
 */
export async function batch<I, O>(
  runnable: Runnable<I, O>,
  inputs: readonly I[],
  { concurrency = Number.POSITIVE_INFINITY, ...options }: BatchOptions = {},
): Promise<O[]> {
  if (!(concurrency >= 1)) throw invalidOption(`batch: concurrency must be at least 1; got ${String(concurrency)}.`);
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  const forward = (): void => stop.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", forward);
  const results = new Array<O>(inputs.length);
  const waiting = inputs.entries();
  const work = async (): Promise<void> => {
    for (const [index, input] of waiting) {
      if (stop.signal.aborted) return;
      results[index] = await runnable.invoke(input, optionsOf(index, options, stop.signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, inputs.length) }, work));
    return results;
  } catch (error) {
    stop.abort(new DOMException("Stopped, because another run of the batch has failed.", "AbortError"));
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", forward);
  }
}

/** Children of one place need keys of their own. */
function optionsOf(index: number, options: RunOptions, signal: AbortSignal): RunOptions {
  return options.parent === undefined
    ? { ...options, signal }
    : { ...options, signal, key: `${options.key ?? "batch"}:${index}` };
}
