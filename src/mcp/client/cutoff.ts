/** Rejects the open requests of a connection at once when it breaks. */
export class Cutoff {
  readonly #open = new Set<(error: unknown) => void>();

  /** Settles like `work`, or rejects as soon as the connection breaks. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      work.then(resolve, reject).finally(() => this.#open.delete(reject));
    });
  }

  cut(error: unknown): void {
    for (const reject of this.#open) reject(error);
    this.#open.clear();
  }
}
