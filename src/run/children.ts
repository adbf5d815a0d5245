/** A run with `parent: ctx`, as its parent sees it. */
export interface Child {
  /** Whether someone is waiting for its result or its next chunk. */
  readonly isAwaited: boolean;
  abort(reason: unknown): void;
}

/** The open child runs of a context. */
export class Children {
  readonly #open = new Map<string, Child | undefined>();
  #waiters: (() => void)[] = [];

  /** Reserves a key; false if an open child has it. */
  open(key: string): boolean {
    if (this.#open.has(key)) return false;
    this.#open.set(key, undefined);
    return true;
  }

  started(key: string, child: Child): void {
    this.#open.set(key, child);
  }

  close(key: string): void {
    this.#open.delete(key);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** Waits until all children have ended. If only streams that no one reads are left, they are aborted. */
  async settle(reason: unknown): Promise<void> {
    while (this.#open.size > 0) {
      const left = [...this.#open.values()].filter((child) => child?.isAwaited === false);
      if (left.length === this.#open.size) for (const child of left) child?.abort(reason);
      if (this.#open.size === 0) return;
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }
}
