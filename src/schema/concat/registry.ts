import { duplicateConcatClass, notAClass } from "../errors.js";

/** @internal */
type Join = (chunks: never[]) => unknown;

/**
 * Rules for joining chunks of your classes, also inside records. A rule applies to subclasses too, unless they have their own.
 *
 * @example
 * class Sum { constructor(readonly value: number) {} }
 * const concat = new ConcatRegistry().add(Sum, (chunks) => new Sum(chunks.reduce((sum, { value }) => sum + value, 0)));
 * const runtime = new Runtime({ concat });
 */
export class ConcatRegistry {
  readonly #joins = new Map<unknown, Join>();

  /** Adds a rule for a class. `join` gets at least two chunks: a single chunk is the result. */
  add<Chunk>(type: abstract new (...args: never[]) => Chunk, join: (chunks: Chunk[]) => Chunk): this {
    if (typeof type !== "function" || typeof type.prototype !== "object") throw notAClass(type);
    if (this.#joins.has(type.prototype)) throw duplicateConcatClass(type.name);
    this.#joins.set(type.prototype, join);
    return this;
  }

  /** Finds the rule of the nearest common class of all chunks. */
  find(chunks: readonly unknown[]): Join | undefined {
    if (this.#joins.size === 0) return undefined;
    for (let prototype = prototypeOf(chunks[0]); prototype !== null; prototype = prototypeOf(prototype)) {
      const join = this.#joins.get(prototype);
      if (join !== undefined && chunks.every((chunk) => inherits(chunk, prototype))) return join;
    }
    return undefined;
  }
}

function prototypeOf(value: unknown): unknown {
  return value === null || value === undefined ? null : Object.getPrototypeOf(value);
}

function inherits(value: unknown, prototype: unknown): boolean {
  for (let own = prototypeOf(value); own !== null; own = prototypeOf(own)) if (own === prototype) return true;
  return false;
}
