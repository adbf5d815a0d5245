/** The open requests of a connection, which are rejected at once when it breaks. */
export class Cutoff {
  readonly #open = new Set<(error: unknown) => void>();
  #onIdle: (() => void) | undefined;

  /** Settles like `work`, or rejects as soon as the connection breaks. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      work.then(resolve, reject).finally(() => {
        this.#open.delete(reject);
        if (this.#open.size === 0) this.#onIdle?.();
      });
    });
  }

  cut(error: unknown): void {
    for (const reject of this.#open) reject(error);
    this.#open.clear();
  }

  /** Calls the listener when no request is open. */
  whenIdle(listener: () => void): void {
    if (this.#open.size === 0) listener();
    else this.#onIdle = listener;
  }
}
