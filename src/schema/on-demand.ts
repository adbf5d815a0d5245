import { KumikoError, messageOf } from "../errors.js";

/** A part of the library that is loaded when it is first needed. */
export class OnDemand<T> {
  /** `undefined` until it was loaded. Asking the module system each time would cost more than a step. */
  part: T | undefined = undefined;
  readonly #import: () => Promise<T>;
  #loading: Promise<T> | undefined = undefined;

  constructor(importPart: () => Promise<T>) {
    this.#import = importPart;
  }

  /** Those who ask while it is being loaded wait for the same file. After a failure the next one tries again. */
  load(): Promise<T> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<T> {
    try {
      this.part = await this.#import();
      return this.part;
    } catch (cause) {
      this.#loading = undefined;
      throw new KumikoError(
        "PART_NOT_LOADED",
        `A part of kumiko that is loaded on demand cannot be imported. Deploy all files of the bundle. ${messageOf(cause)}`,
        { cause },
      );
    }
  }
}
