/** A run with `parent: ctx`, as its parent sees it. */
export interface Child {
  /** Whether someone is waiting for its result or its next chunk. */
  readonly isAwaited: boolean;
  abort(reason: unknown): void;
}

/** The open child runs of a context. */
export class Children {
  /** The first one: most contexts have one at a time, and no map is made for it. */
  #first: Child | undefined = undefined;
  #firstKey = "";
  #others: Map<string, Child> | undefined = undefined;
  #waiters: (() => void)[] = [];

  has(key: string): boolean {
    return (this.#first !== undefined && this.#firstKey === key) || this.#others?.has(key) === true;
  }

  add(key: string, child: Child): void {
    if (this.#first === undefined) {
      this.#first = child;
      this.#firstKey = key;
    } else {
      this.#others ??= new Map();
      this.#others.set(key, child);
    }
  }

  close(key: string): void {
    if (this.#firstKey === key) this.#first = undefined;
    else this.#others?.delete(key);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  /** Waits until all children have ended. If only streams that no one reads are left, they are aborted. */
  async settle(reason: unknown): Promise<void> {
    for (let open = this.#open(); open.length > 0; open = this.#open()) {
      if (!open.some((child) => child.isAwaited)) for (const child of open) child.abort(reason);
      if (this.#open().length > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  #open(): Child[] {
    const others = this.#others?.values() ?? [];
    return this.#first === undefined ? [...others] : [this.#first, ...others];
  }
}
