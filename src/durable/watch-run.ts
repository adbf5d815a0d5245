import { unknownCheckpoint } from "../checkpoint/checkpoint-errors.js";
import type { Clock } from "../components/clock.js";
import type { SavedRun } from "../compose/segment.js";
import { type ReadContext, readState } from "./read-run.js";

/** How often a running run is looked at, for what its tasks save, and every other one, in case a change was not told. */
const runningMs = 500;
const usualMs = 1_000;

/** The state of a run now, and after each change until it is over. */
export async function* watchRun(
  context: ReadContext,
  id: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): AsyncGenerator<SavedRun, void, undefined> {
  const news = new News(clock, signal);
  const unlisten = context.store.changes?.((row) => {
    if (row === undefined || row.id === id) news.tell();
  });
  try {
    let last: number | undefined;
    while (signal?.aborted !== true) {
      const found = await readState(context, id);
      if (found === undefined) {
        if (last === undefined) throw unknownCheckpoint(id);
        return;
      }
      const { run, version } = found;
      if (version !== last) {
        last = version;
        yield run;
      }
      if (run.status === "finished" || run.status === "cancelled") return;
      await news.next(run.status === "running" ? runningMs : usualMs);
    }
  } finally {
    unlisten?.();
  }
}

/** Wakes one who waits for a change, at the latest after some time. */
class News {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #isNew = false;
  #wake: (() => void) | undefined = undefined;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  tell(): void {
    this.#isNew = true;
    this.#wake?.();
  }

  async next(longestMs: number): Promise<void> {
    if (!this.#isNew && this.#signal?.aborted !== true) await this.#wait(longestMs);
    this.#isNew = false;
  }

  #wait(longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake = undefined;
        this.#clock.clearTimer(timer);
        this.#signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = this.#clock.setTimer(wake, longestMs);
      this.#signal?.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }
}
