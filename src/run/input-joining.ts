import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { ConcatRule, Joining } from "../schema/concat/rule.js";

/** How the stream joins that a run is given: as it knows itself, and classes as they do in this run. */
export function inputJoining(given: Joining | undefined, registry: ConcatRegistry | undefined): Joining {
  return given === undefined ? { registry, where } : new InputJoining(given, registry);
}

const where = "the input";

/** Looks the given one up at the end: what the output of another run knows is known once that run has begun. */
class InputJoining implements Joining {
  readonly #given: Joining;
  readonly #registry: ConcatRegistry | undefined;

  constructor(given: Joining, registry: ConcatRegistry | undefined) {
    this.#given = given;
    this.#registry = registry;
  }

  get rule(): ConcatRule | undefined {
    return this.#given.rule;
  }

  get registry(): ConcatRegistry | undefined {
    return this.#given.registry ?? this.#registry;
  }

  get where(): string {
    return this.#given.where ?? where;
  }
}
