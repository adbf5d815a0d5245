/** How many bodies of nodes may run at a time in a run and all that it starts. A body takes a place, and gives it back. */
export class Places {
  readonly #outer: Places | undefined;
  #free: number;
  #waiting: Waiting[] = [];

  /** `outer`: the places of the run around, which count too. */
  constructor(limit: number, outer?: Places) {
    this.#free = limit;
    this.#outer = outer;
  }

  /**
   * A place for one body, at once or when there is one. `around` is the place of the body that started this one: it is shared
   * where places are short, by one body at a time, so that nobody waits for a place that is held by who waits for it.
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

  /** A place of its own was given back: it goes to who waits longest. */
  giveBack(): void {
    this.#free++;
    this.serve();
  }

  /** Gives places to those that wait, in their order; who does not want one any more gets none. */
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

/** The place of one body: its own, or that of the body around it. */
export class Place {
  /** Its place among those of the run around. */
  outer: Place | undefined = undefined;
  readonly #places: Places;
  readonly #lender: Place | undefined;
  #isLent = false;
  #isLeft = false;

  constructor(places: Places, lender: Place | undefined) {
    this.#places = places;
    this.#lender = lender;
  }

  /** The one of these that belongs to the given places. */
  in(places: Places): Place | undefined {
    return this.#places === places ? this : this.outer?.in(places);
  }

  /** Lets a body inside have it. False when another one has it, or when it was given back. */
  lend(): boolean {
    if (this.#isLent || this.#isLeft) return false;
    this.#isLent = true;
    return true;
  }

  /** The body has ended, or waits for something. What it has lent comes back later. */
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
