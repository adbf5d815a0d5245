import { KumikoError, messageOf } from "../errors.js";

/** A part of the library that is loaded at first use. */
export class OnDemand<T> {
  /** `undefined` until it is loaded. Kept here because a dynamic import each time would be slower than a step of a run. */
  part: T | undefined = undefined;
  readonly #import: () => Promise<T>;
  #loading: Promise<T> | undefined = undefined;

  constructor(importPart: () => Promise<T>) {
    this.#import = importPart;
  }

  /** Loads the part once; concurrent calls share the import. After a failure, the next call tries again. */
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
        `A part of kumiko that is loaded on demand could not be imported. Deploy all files of the bundle. ${messageOf(cause)}`,
        { cause },
      );
    }
  }
}
