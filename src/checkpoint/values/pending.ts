/** Stands for an instance that does not exist yet, wherever a cycle comes back to it. */
export class Pending {
  readonly #waiting: ((instance: object) => void)[] = [];
  #instance: object | undefined;

  get instance(): object | undefined {
    return this.#instance;
  }

  whenKnown(tell: (instance: object) => void): void {
    this.#waiting.push(tell);
  }

  resolve(instance: object): void {
    this.#instance = instance;
    for (const tell of this.#waiting.splice(0)) tell(instance);
  }
}
