/** Limits how many node bodies of a run and its child runs are active at a time (`maxConcurrency`). Each holds a permit. */
export class Semaphore {
  readonly #outer: Semaphore | undefined;
  #free: number;
  #waiting: Waiting[] = [];

  /** `outer`: the limit of the enclosing run, which applies too. */
  constructor(limit: number, outer?: Semaphore) {
    this.#free = limit;
    this.#outer = outer;
  }

  /**
   * Resolves to a permit for one body once there is one. `around` is the permit of the body that started this one: it lends its
   * permit to one inner body at a time, so that a body which waits for an inner one cannot block it. Resolves to `undefined` if
   * the permit is no longer wanted.
   */
  async acquire(around: Permit | undefined, isWanted: () => boolean): Promise<Permit | undefined> {
    const permit = await this.#acquireHere(around?.in(this), isWanted);
    if (permit === undefined || this.#outer === undefined) return permit;
    permit.outer = await this.#outer.acquire(around, isWanted);
    if (permit.outer !== undefined) return permit;
    permit.release();
    return undefined;
  }

  #acquireHere(lender: Permit | undefined, isWanted: () => boolean): Permit | Promise<Permit | undefined> {
    if (lender?.lend() === true) return new Permit(this, lender);
    if (this.#free > 0) {
      this.#free--;
      return new Permit(this, undefined);
    }
    return new Promise((resolve) => this.#waiting.push({ lender, isWanted, resolve }));
  }

  /** Takes back a permit, which goes to the body that has waited longest. */
  takeBack(): void {
    this.#free++;
    this.serve();
  }

  /** Hands permits to waiting bodies in order; those that no longer want one get `undefined`. */
  serve(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const entry of waiting) {
      if (!entry.isWanted()) entry.resolve(undefined);
      else if (entry.lender?.lend() === true) entry.resolve(new Permit(this, entry.lender));
      else if (this.#free > 0) {
        this.#free--;
        entry.resolve(new Permit(this, undefined));
      } else this.#waiting.push(entry);
    }
  }
}

interface Waiting {
  readonly lender: Permit | undefined;
  readonly isWanted: () => boolean;
  readonly resolve: (permit: Permit | undefined) => void;
}

/** The permit of one body: its own, or lent by the body that started it. */
export class Permit {
  /** Its permit under the limit of the enclosing run. */
  outer: Permit | undefined = undefined;
  readonly #semaphore: Semaphore;
  readonly #lender: Permit | undefined;
  #isLent = false;
  #isReleased = false;

  constructor(semaphore: Semaphore, lender: Permit | undefined) {
    this.#semaphore = semaphore;
    this.#lender = lender;
  }

  /** This permit or its outer one, whichever belongs to the given limit. */
  in(semaphore: Semaphore): Permit | undefined {
    return this.#semaphore === semaphore ? this : this.outer?.in(semaphore);
  }

  /** Lends the permit to an inner body. Returns false if it is already lent or was released. */
  lend(): boolean {
    if (this.#isLent || this.#isReleased) return false;
    this.#isLent = true;
    return true;
  }

  /** The body has ended, or waits for something. A lent permit is returned when the inner body releases it. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.outer?.release();
    if (!this.#isLent) this.#return();
  }

  #takeBack(): void {
    this.#isLent = false;
    if (this.#isReleased) this.#return();
    else this.#semaphore.serve();
  }

  #return(): void {
    if (this.#lender === undefined) this.#semaphore.takeBack();
    else this.#lender.#takeBack();
  }
}
