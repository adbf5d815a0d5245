import type { JsonSchema, StandardIssue } from "../standard-schema.js";
import { expandSchemas, schemaAt } from "./schema-places.js";

/** A position in a value at which, or inside which, an issue was found. */
export interface FaultPlace {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly string[];
  /** The schemas that apply at this position. */
  readonly schemas: readonly JsonSchema[];
  readonly isOptional: boolean;
}

/**
 * Visits the positions of issues and everything inside them, from the outside in. Values that `repair` puts there are visited too.
 * The time is linear in the size of the value plus the number of issues.
 */
export function visitFaults(
  value: object,
  root: JsonSchema,
  issues: readonly StandardIssue[],
  repair: (place: FaultPlace) => void,
): void {
  new FaultVisitor(root, repair).inside(value, [root], [], faultTreeOf(issues));
}

/** The paths of issues as a tree. A node that is not at fault itself has faults inside. */
interface FaultTree {
  isAtFault: boolean;
  readonly inside: Map<string, FaultTree>;
}

function faultTreeOf(issues: readonly StandardIssue[]): FaultTree {
  const root = emptyTree();
  for (const { path = [] } of issues) {
    let place = root;
    for (const step of path) {
      const key = String(typeof step === "object" ? step.key : step);
      let next = place.inside.get(key);
      if (next === undefined) {
        next = emptyTree();
        place.inside.set(key, next);
      }
      place = next;
    }
    place.isAtFault = true;
  }
  return root;
}

function emptyTree(): FaultTree {
  return { isAtFault: false, inside: new Map() };
}

/** The depth up to which values are visited. */
const mostLevels = 64;

class FaultVisitor {
  private readonly root: JsonSchema;
  private readonly repair: (place: FaultPlace) => void;

  constructor(root: JsonSchema, repair: (place: FaultPlace) => void) {
    this.root = root;
    this.repair = repair;
  }

  inside(value: object, schemas: readonly JsonSchema[], path: readonly string[], faults: FaultTree): void {
    if (path.length > mostLevels) return;
    const holder = value as Record<string, unknown>;
    const around = expandSchemas(schemas, this.root);
    for (const key of Object.keys(holder)) {
      // everything inside a faulty value counts as faulty too
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
    if (faults.isAtFault) this.repair({ holder, key, path, schemas: expandSchemas(schemas, this.root), isOptional });
    const value = holder[key];
    if (typeof value === "object" && value !== null) this.inside(value, schemas, path, faults);
  }
}

/** Copies arrays and plain objects, as deep as faults are visited. Everything else is shared. */
export function copyForRepair(value: object): object {
  return copyOf(value, 0) as object;
}

function copyOf(value: unknown, level: number): unknown {
  if (typeof value !== "object" || value === null || level > mostLevels) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, level + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, level + 1)]));
}
