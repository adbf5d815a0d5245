import { invalidOption } from "./errors.js";

/** Called when a stop is requested, with the given `timeoutMs`. @internal */
export type StopListener = (timeoutMs: number | undefined) => void;

/**
 * Stops runs from outside so that they can be resumed: no new node starts, and the run rejects with an `InterruptError` once the
 * running nodes have ended. A run that has reached its end by then returns its result.
 *
 * @example
 * const app = new Chain<string>().append((order) => `${order} sent`).compile({ store: memoryStore() });
 * const control = new RunControl();
 * process.once("SIGTERM", () => control.interrupt({ timeoutMs: 5_000 }));
 * await app.invoke("20 boxes", { checkpointId: "order-7", control });
 */
export class RunControl {
  readonly #listeners = new Set<StopListener>();
  #request: { readonly timeoutMs: number | undefined } | undefined = undefined;

  /**
   * Requests the stop. Nodes that still run after `timeoutMs` are aborted, and run again on resume with their original input; 0
   * aborts them at once. Without it, all running nodes may end. A second call has no effect.
   */
  interrupt({ timeoutMs }: { readonly timeoutMs?: number | undefined } = {}): void {
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= longest)) {
      throw invalidOption(
        `timeoutMs of RunControl.interrupt must be a number of milliseconds of at least 0 (got ${String(timeoutMs)}).`,
      );
    }
    if (this.#request !== undefined) return;
    this.#request = { timeoutMs };
    for (const listener of [...this.#listeners]) listener(timeoutMs);
  }

  /** Adds a listener, which is called at once if a stop was already requested. Returns a function that removes it. */
  onInterrupt(listener: StopListener): () => void {
    if (this.#request !== undefined) listener(this.#request.timeoutMs);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** The longest delay of `setTimeout`. */
const longest = 2_147_483_647;
