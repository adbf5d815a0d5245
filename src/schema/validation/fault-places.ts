import type { JsonSchema, StandardIssue } from "../standard-schema.js";
import { schemaAt, whatItMayBe } from "./schema-places.js";

/** A place in a value at which, or around which, something does not fit. */
export interface FaultPlace {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly string[];
  /** What the value may be there. */
  readonly schemas: readonly JsonSchema[];
  readonly isOptional: boolean;
}

/**
 * Visits the places that issues point at, and all inside them, from the outside in: what `mend` puts there is visited too.
 * The time it takes grows with the value and with the issues, and not with their product.
 */
export function visitFaults(
  value: object,
  root: JsonSchema,
  issues: readonly StandardIssue[],
  mend: (place: FaultPlace) => void,
): void {
  new FaultVisitor(root, mend).inside(value, [root], [], faultTreeOf(issues));
}

/** The paths of issues as a tree: a place whose fault is not its own has faults inside. */
interface FaultTree {
  isAtFault: boolean;
  readonly inside: Map<string, FaultTree>;
}

function faultTreeOf(issues: readonly StandardIssue[]): FaultTree {
  const root = sound();
  for (const { path = [] } of issues) {
    let place = root;
    for (const step of path) {
      const key = String(typeof step === "object" ? step.key : step);
      let next = place.inside.get(key);
      if (next === undefined) {
        next = sound();
        place.inside.set(key, next);
      }
      place = next;
    }
    place.isAtFault = true;
  }
  return root;
}

function sound(): FaultTree {
  return { isAtFault: false, inside: new Map() };
}

/** Deeper down nothing is visited. */
const mostLevels = 64;

class FaultVisitor {
  private readonly root: JsonSchema;
  private readonly mend: (place: FaultPlace) => void;

  constructor(root: JsonSchema, mend: (place: FaultPlace) => void) {
    this.root = root;
    this.mend = mend;
  }

  inside(value: object, schemas: readonly JsonSchema[], path: readonly string[], faults: FaultTree): void {
    if (path.length > mostLevels) return;
    const holder = value as Record<string, unknown>;
    const around = whatItMayBe(schemas, this.root);
    for (const key of Object.keys(holder)) {
      // what is inside something at fault is at fault as well
      const there = faults.isAtFault ? faults : faults.inside.get(key);
      if (key !== "__proto__" && there !== undefined) this.at(holder, key, around, [...path, key], there);
    }
  }

  private at(
    holder: Record<string, unknown>,
    key: string,
    around: readonly JsonSchema[],
    path: readonly string[],
    faults: FaultTree,
  ): void {
    const { schemas, isOptional } = schemaAt(around, key, Array.isArray(holder));
    if (faults.isAtFault) this.mend({ holder, key, path, schemas: whatItMayBe(schemas, this.root), isOptional });
    const value = holder[key];
    if (typeof value === "object" && value !== null) this.inside(value, schemas, path, faults);
  }
}

/** Lists and records are copied as deep as faults are looked for; everything else stays what it is. */
export function copyToMend(value: object): object {
  return copyOf(value, 0) as object;
}

function copyOf(value: unknown, level: number): unknown {
  if (typeof value !== "object" || value === null || level > mostLevels) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, level + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, level + 1)]));
}
