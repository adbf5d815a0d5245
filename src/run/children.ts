/** A run with `parent: ctx`, as its parent sees it. */
export interface Child {
  /** Whether someone is waiting for its result or its next chunk. */
  readonly isAwaited: boolean;
  abort(reason: unknown): void;
}

/** The open child runs of a context. Most have one at a time, which needs no map. */
export class Children {
  #key: string | undefined = undefined;
  #child: Child | undefined = undefined;
  #others: Map<string, Child | undefined> | undefined = undefined;
  #waiters: (() => void)[] = [];

  /** Reserves a key; false if an open child has it. */
  open(key: string): boolean {
    if (this.#key === key || this.#others?.has(key) === true) return false;
    if (this.#key === undefined) this.#key = key;
    else this.#others = (this.#others ?? new Map()).set(key, undefined);
    return true;
  }

  started(key: string, child: Child): void {
    if (this.#key === key) this.#child = child;
    else this.#others?.set(key, child);
  }

  close(key: string): void {
    if (this.#key === key) {
      this.#key = undefined;
      this.#child = undefined;
    } else this.#others?.delete(key);
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** Waits until all children have ended. If only streams that no one reads are left, they are aborted. */
  async settle(reason: unknown): Promise<void> {
    for (;;) {
      const open = this.#all();
      if (open.length === 0) return;
      const left = open.filter((child) => child?.isAwaited === false);
      if (left.length === open.length) for (const child of left) child?.abort(reason);
      if (this.#all().length === 0) return;
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  #all(): (Child | undefined)[] {
    const others = this.#others?.values() ?? [];
    return this.#key === undefined ? [...others] : [this.#child, ...others];
  }
}
