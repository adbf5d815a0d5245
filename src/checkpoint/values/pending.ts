/** Stands for an instance that does not exist yet, where a cycle leads back to it. */
export class Pending {
  readonly #waiting: ((instance: object) => void)[] = [];
  #instance: object | undefined;

  get instance(): object | undefined {
    return this.#instance;
  }

  whenKnown(listener: (instance: object) => void): void {
    this.#waiting.push(listener);
  }

  resolve(instance: object): void {
    this.#instance = instance;
    for (const listener of this.#waiting.splice(0)) listener(instance);
  }
}
