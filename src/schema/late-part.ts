/**
 * A part of the library that the modules which use it do not import: its own module registers it when that is loaded. In Node.js
 * the entries import that module, and bundles load it on demand.
 */
export class LatePart<T> {
  /** `undefined` until its module is loaded. */
  part: T | undefined = undefined;

  /** Called by the module of the part. */
  register(part: T): void {
    this.part = part;
  }

  /** The part, for code that runs only after its module has been loaded. */
  get loaded(): T {
    if (this.part === undefined) throw new TypeError("This part is used before its module is loaded.");
    return this.part;
  }
}
