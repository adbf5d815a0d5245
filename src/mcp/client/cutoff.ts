/** The requests of one connection, which end at once when it cannot go on. */
export class Cutoff {
  readonly #open = new Set<(error: unknown) => void>();

  /** Settles as the work does, or rejects when the connection is cut before. */
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
