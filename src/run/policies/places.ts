/** A semaphore for the node bodies of a run and its child runs (`maxConcurrency`): a body holds a place while it runs. */
export class Places {
  readonly #outer: Places | undefined;
  #free: number;
  #waiting: Waiting[] = [];

  /** `outer`: the limit of the enclosing run, which applies too. */
  constructor(limit: number, outer?: Places) {
    this.#free = limit;
    this.#outer = outer;
  }

  /**
   * Takes a place for one body, waiting until there is one. `around` is the place of the body that started this one: it lends
   * its place to one inner body at a time, so that a body which waits for an inner one cannot block it. Resolves to `undefined`
   * if the place is not wanted any more.
   */
  async take(around: Place | undefined, isWanted: () => boolean): Promise<Place | undefined> {
    const place = await this.#takeHere(around?.in(this), isWanted);
    if (place === undefined || this.#outer === undefined) return place;
    place.outer = await this.#outer.take(around, isWanted);
    if (place.outer !== undefined) return place;
    place.leave();
    return undefined;
  }

  #takeHere(lender: Place | undefined, isWanted: () => boolean): Place | Promise<Place | undefined> {
    if (lender?.lend() === true) return new Place(this, lender);
    if (this.#free > 0) {
      this.#free--;
      return new Place(this, undefined);
    }
    return new Promise((resolve) => this.#waiting.push({ lender, isWanted, resolve }));
  }

  /** Returns a place to the limit: it goes to the body that has waited longest. */
  giveBack(): void {
    this.#free++;
    this.serve();
  }

  /** Gives places to waiting bodies in order; those that do not want one any more get `undefined`. */
  serve(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const entry of waiting) {
      if (!entry.isWanted()) entry.resolve(undefined);
      else if (entry.lender?.lend() === true) entry.resolve(new Place(this, entry.lender));
      else if (this.#free > 0) {
        this.#free--;
        entry.resolve(new Place(this, undefined));
      } else this.#waiting.push(entry);
    }
  }
}

interface Waiting {
  readonly lender: Place | undefined;
  readonly isWanted: () => boolean;
  readonly resolve: (place: Place | undefined) => void;
}

/** The place of one body: its own, or lent by the body that started it. */
export class Place {
  /** Its place under the limit of the enclosing run. */
  outer: Place | undefined = undefined;
  readonly #places: Places;
  readonly #lender: Place | undefined;
  #isLent = false;
  #isLeft = false;

  constructor(places: Places, lender: Place | undefined) {
    this.#places = places;
    this.#lender = lender;
  }

  /** This place or its outer one, whichever belongs to the given limit. */
  in(places: Places): Place | undefined {
    return this.#places === places ? this : this.outer?.in(places);
  }

  /** Lends the place to an inner body. False if it is lent already or was given back. */
  lend(): boolean {
    if (this.#isLent || this.#isLeft) return false;
    this.#isLent = true;
    return true;
  }

  /** The body has ended, or waits for something. A lent place is given back when the inner body leaves it. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.outer?.leave();
    if (!this.#isLent) this.#giveBack();
  }

  #takeBack(): void {
    this.#isLent = false;
    if (this.#isLeft) this.#giveBack();
    else this.#places.serve();
  }

  #giveBack(): void {
    if (this.#lender === undefined) this.#places.giveBack();
    else this.#lender.#takeBack();
  }
}
