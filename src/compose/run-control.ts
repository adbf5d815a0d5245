import { invalidOption } from "./errors.js";

/** Told when a stop is asked for; `timeoutMs` as it was given. */
export type StopListener = (timeoutMs: number | undefined) => void;

/**
 * Stops runs from outside, so that they can be resumed: no new node starts, and the run rejects with an `InterruptError`
 * once the running nodes have ended. One that has reached its end by then gives its result.
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
   * Asks for the stop. Nodes that still run after `timeoutMs` are aborted and run again on resume, from their original
   * input; 0 does not wait for any. A second call changes nothing.
   */
  interrupt({ timeoutMs }: { readonly timeoutMs?: number | undefined } = {}): void {
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= longest)) {
      throw invalidOption(
        `timeoutMs of RunControl.interrupt must be milliseconds from 0 on; got ${String(timeoutMs)}.`,
      );
    }
    if (this.#request !== undefined) return;
    this.#request = { timeoutMs };
    for (const listener of [...this.#listeners]) listener(timeoutMs);
  }

  /** Listens until the returned function is called. Of a stop that was asked for already it hears at once. */
  onInterrupt(listener: StopListener): () => void {
    if (this.#request !== undefined) listener(this.#request.timeoutMs);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** What `setTimeout` can wait. */
const longest = 2_147_483_647;
