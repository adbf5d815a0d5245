/** The longest delay that a timer supports; with a longer one it fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Settles like `work`, or rejects with the reason of the signal as soon as it is aborted. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Runs `work`, and aborts its signal after `ms` (with `error`) or when `outer` is aborted. */
export async function withLimit<T>(
  ms: number,
  outer: AbortSignal,
  error: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(error()), ms);
  const stop = () => controller.abort(outer.reason);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  try {
    return await raceAbort(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
  }
}

/** Resolves after a delay; rejects if the signal is aborted before. */
export function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
